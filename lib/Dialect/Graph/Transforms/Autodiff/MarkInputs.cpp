// Purpose: tell the runtime what it may expect of inputs. Which labels they
// take, so that a label outside of the classes is an error and not an infinite
// loss; and which of them only the loss needs, so that who wants outputs alone
// need not have labels.
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Interfaces/LabelsOpInterface.h"

namespace mpc::graph {
#define GEN_PASS_DEF_MARKINPUTS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

/// Whether each element of the operand is an element of the result.
bool keepsAllElements(MovementOpInterface op) {
  if (op->getNumOperands() != 1)
    return false;
  Movement movement = op.getMovement();
  if (movement.kind == Movement::Kind::Reshape)
    return true;
  if (movement.kind != Movement::Kind::Strided)
    return false;
  ArrayRef<int64_t> from =
      cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  ArrayRef<int64_t> to =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  SmallVector<bool> isWhole(from.size(), false);
  for (auto [index, dim] : llvm::enumerate(movement.dims))
    if (dim >= 0 && to[index] == from[dim])
      isWhole[dim] = true;
  // A dim of size 1 is whole wherever its one element is read.
  for (auto [whole, size] : llvm::zip(isWhole, from))
    whole |= size == 1;
  return llvm::all_of(isWhole, [](bool whole) { return whole; });
}

/// The argument whose elements `value` has, all of them, or null.
mlir::BlockArgument findSource(Value value) {
  while (auto op = value.getDefiningOp<MovementOpInterface>()) {
    if (!keepsAllElements(op))
      return {};
    value = op->getOperand(0);
  }
  return dyn_cast<mlir::BlockArgument>(value);
}

/// Labels that two ops read are labels of both. What one of them ignores may be
/// a class of the other.
ClassesAttr intersect(ClassesAttr known, const LabelRange &second,
                      MLIRContext *context) {
  if (!known)
    return ClassesAttr::get(context, second.classes, second.ignored);
  LabelRange first{known.getCount(), known.getIgnored()};
  std::optional<int64_t> ignored;
  for (std::optional<int64_t> label : {first.ignored, second.ignored})
    if (label && first.contains(*label) && second.contains(*label))
      ignored = label;
  return ClassesAttr::get(context, std::min(first.classes, second.classes),
                          ignored);
}

void markLabels(FuncOp model) {
  llvm::MapVector<unsigned, ClassesAttr> found;
  model.walk([&](LabelsOpInterface op) {
    for (OpOperand &operand : op->getOpOperands()) {
      auto range = op.getLabelRange(operand.getOperandNumber());
      mlir::BlockArgument source =
          range ? findSource(operand.get()) : mlir::BlockArgument();
      if (!source || !model.getArgAttr(source.getArgNumber(), kInputAttr))
        continue;
      auto [place, isNew] = found.try_emplace(source.getArgNumber());
      if (isNew) // What the model says holds too.
        place->second = model.getArgAttrOfType<ClassesAttr>(
            source.getArgNumber(), kClassesAttr);
      place->second = intersect(place->second, *range, model.getContext());
    }
  });
  for (auto [index, classes] : found)
    model.setArgAttr(index, kClassesAttr, classes);
}

/// One of several losses is an output, too.
bool isOnlyLoss(FuncOp model, unsigned result) {
  return isa_and_present<mlir::UnitAttr>(
             model.getResultAttr(result, kLossAttr)) &&
         !model.getResultAttr(result, kOutputAttr);
}

void markLossOnly(FuncOp model) {
  Operation *exit = model.getBody().front().getTerminator();
  SmallVector<Value> worklist;
  bool hasLoss = false;
  for (auto [index, value] : llvm::enumerate(exit->getOperands()))
    if (isOnlyLoss(model, index))
      hasLoss = true;
    else
      worklist.push_back(value);
  if (!hasLoss || worklist.empty())
    return;
  DenseSet<Value> needed;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (needed.insert(value).second && value.getDefiningOp())
      llvm::append_range(worklist, value.getDefiningOp()->getOperands());
  }
  auto unit = mlir::UnitAttr::get(model.getContext());
  for (const Marked &input : markedArguments(model, kInputAttr))
    if (!needed.contains(input.value))
      model.setArgAttr(input.index, kLossOnlyAttr, unit);
}

struct MarkInputs final : graph::impl::MarkInputsBase<MarkInputs> {
  using Base::Base;

  void runOnOperation() override {
    for (auto model : getOperation().getOps<FuncOp>())
      if (isModelFunction(model) && !model->hasAttr(kEntryAttr) &&
          model.getBody().hasOneBlock()) {
        markLabels(model);
        markLossOnly(model);
      }
  }
};

} // namespace
