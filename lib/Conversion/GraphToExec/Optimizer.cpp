// Family Optimizer: ops on lists of tensors become exec.multi_tensor. Optional
// scalars come first, then the shared ones, then the lists.
#include "EntryBuilder.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/OptimizerLists.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Probe.h"
#include "mpc/Interfaces/Target.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mpc;
using exec::MultiTensorKind;
using exec::MultiTensorOp;

namespace {

/// The buffers of the scalars that are there.
SmallVector<Value> scalarsOf(ArrayRef<Value> tensors, EntryBuilder &entry) {
  SmallVector<Value> scalars;
  for (Value tensor : tensors)
    if (tensor)
      scalars.push_back(entry.buffer(tensor));
  return scalars;
}

/// A step without flags and hyperparameters.
MultiTensorOp createStep(MultiTensorKind kind, ValueRange inputs,
                         ValueRange outputs, EntryBuilder &entry) {
  llvm::APFloat none(0.0);
  return MultiTensorOp::create(
      entry.builder, kind, inputs, outputs, /*has_found_inf=*/false,
      /*has_scale=*/false, /*has_coefficient=*/false, /*has_copies=*/false,
      /*beta1=*/none, /*beta2=*/none, /*epsilon=*/none, /*weight_decay=*/none,
      /*momentum=*/none, /*nesterov=*/false);
}

/// A step of `kind` with the flags that an optimizer on lists has; its
/// hyperparameters are still those of none.
template <typename Op>
MultiTensorOp createUpdate(Op op, MultiTensorKind kind, ArrayRef<Value> shared,
                           ArrayRef<ValueRange> lists, EntryBuilder &entry) {
  SmallVector<Value> inputs = scalarsOf(
      {op.getFoundInf(), op.getGradScale(), op.getCoefficient()}, entry);
  llvm::append_range(inputs, entry.buffers(shared));
  for (ValueRange list : lists)
    llvm::append_range(inputs, entry.buffers(list));
  SmallVector<Value> outputs = entry.allocate(op.getResults());
  MultiTensorOp step = createStep(kind, inputs, outputs, entry);
  step.setHasFoundInf(static_cast<bool>(op.getFoundInf()));
  step.setHasScale(static_cast<bool>(op.getGradScale()));
  step.setHasCoefficient(static_cast<bool>(op.getCoefficient()));
  step.setHasCopies(op.getCopies().has_value());
  step.setWeightDecayAttr(op.getWeightDecayAttr());
  return step;
}

void convertUnscaleL2Norm(graph::UnscaleL2NormOp op, EntryBuilder &entry) {
  SmallVector<Value> inputs = scalarsOf({op.getScale()}, entry);
  llvm::append_range(inputs, entry.buffers(op.getGradients()));
  SmallVector<Value> outputs = entry.allocate(op->getResults());
  MultiTensorOp step =
      createStep(MultiTensorKind::UnscaleL2Norm, inputs, outputs, entry);
  step.setHasScale(static_cast<bool>(op.getScale()));
}

void convertFusedAdamW(graph::FusedAdamWOp op, EntryBuilder &entry) {
  MultiTensorOp step =
      createUpdate(op, MultiTensorKind::AdamW, {op.getLr(), op.getStep()},
                   {op.getParameters(), op.getGradients(), op.getExpAvgs(),
                    op.getExpAvgSqs()},
                   entry);
  step.setBeta1Attr(op.getBeta1Attr());
  step.setBeta2Attr(op.getBeta2Attr());
  step.setEpsilonAttr(op.getEpsilonAttr());
}

void convertFusedSgd(graph::FusedSgdOp op, EntryBuilder &entry) {
  MultiTensorOp step = createUpdate(
      op, MultiTensorKind::Sgd, {op.getLr()},
      {op.getParameters(), op.getGradients(), op.getMomentumBuffers()}, entry);
  step.setMomentumAttr(op.getMomentumAttr());
  step.setNesterov(op.getNesterov());
}

/// What is on lists of tensors is done by kernels of the runtime or not at all.
LogicalResult checkTarget(Operation *op) {
  const TargetDescription &target = graph::getTarget(op);
  if (target.hasMultiTensorKernels)
    return success();
  return op->emitOpError("expected a target with kernels on lists of tensors, "
                         "but got '")
         << target.name
         << "'; write an op for each tensor instead: mpc-fuse-updates makes "
            "lists of them where the target has kernels";
}

} // namespace

LogicalResult mpc::convertRuntimeKernel(Operation *op, EntryBuilder &entry) {
  if (auto observe = dyn_cast<graph::ObserveOp>(op))
    return convertObserve(observe, entry);
  if (failed(checkTarget(op)))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](graph::UnscaleL2NormOp op) {
        return convertUnscaleL2Norm(op, entry), success();
      })
      .Case([&](graph::FusedAdamWOp op) {
        return convertFusedAdamW(op, entry), success();
      })
      .Case([&](graph::FusedSgdOp op) {
        return convertFusedSgd(op, entry), success();
      })
      .Default([](Operation *op) {
        return op->emitOpError("is marked as done by a kernel of the runtime, "
                               "but no step of the program does it");
      });
}
