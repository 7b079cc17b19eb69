// Groups with a convolution, or one of its gradients, become calls of that
// kind.
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "CallBuilder.h"
#include "mpc/Interfaces/Target.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mpc;
using program::OperandRole;

namespace {
using graph::ConvolutionWindows;

/// Which dims of a tensor stand where in a call: [batch, channels, space...],
/// or [results, channels, kernel...].
SmallVector<int64_t> getCallOrder(const ConvolutionWindows &windows) {
  SmallVector<int64_t> order = {0, windows.channelDim()};
  for (size_t dim = 0; dim < windows.rank(); ++dim)
    order.push_back(windows.firstSpaceDim() + static_cast<int64_t>(dim));
  return order;
}

/// The tensors of a call; one of the first three is the op's result.
struct Tensors {
  Value input, weight, result;
  Value bias; ///< null: there is none
};

class Conversion {
public:
  Conversion(graph::GroupOp group, EntryBuilder &entry, Operation *op,
             const ConvolutionWindows &windows)
      : call(group, entry), op(op), windows(windows),
        order(getCallOrder(windows)) {}

  LogicalResult convert(const Tensors &tensors) {
    if (failed(read(OperandRole::Input, tensors.input)) ||
        failed(read(OperandRole::Weight, tensors.weight)) ||
        failed(read(OperandRole::Result, tensors.result)))
      return failure();
    if (tensors.bias)
      call.read(OperandRole::Bias, tensors.bias);
    write(OperandRole::Input, tensors.input);
    write(OperandRole::Weight, tensors.weight);
    write(OperandRole::Result, tensors.result);
    auto kind = exec::ConvolutionAttr::get(op->getContext(), windows.strides,
                                           windows.low, windows.dilations,
                                           windows.groups);
    return call.create(kind, {op->getResult(0)});
  }

private:
  LogicalResult read(OperandRole role, Value tensor) {
    if (tensor == op->getResult(0))
      return success();
    FailureOr<CallBuilder::Operand> operand = call.find(tensor);
    if (failed(operand))
      return failure();
    operand->lies = permute(operand->lies, order);
    call.read(role, *operand);
    return success();
  }
  void write(OperandRole role, Value tensor) {
    if (tensor == op->getResult(0))
      call.write(role, tensor, order);
  }

  CallBuilder call;
  Operation *op;
  const ConvolutionWindows &windows;
  SmallVector<int64_t> order;
};

template <typename Op>
LogicalResult convert(graph::GroupOp group, EntryBuilder &entry, Op op,
                      const Tensors &tensors) {
  ConvolutionWindows windows = op.getWindows();
  return Conversion(group, entry, op, windows).convert(tensors);
}
} // namespace

bool mpc::isConvolution(Operation *op) {
  return isa<graph::ConvolutionOp, graph::TransposedConvolutionOp,
             graph::ConvolutionWeightGradientOp>(op);
}

LogicalResult mpc::convertConvolution(graph::GroupOp group,
                                      EntryBuilder &entry) {
  for (Operation &inside : group.getBody().front().without_terminator()) {
    if (auto op = dyn_cast<graph::ConvolutionOp>(inside))
      return convert(
          group, entry, op,
          {op.getInput(), op.getWeight(), op.getResult(), op.getBias()});
    if (auto op = dyn_cast<graph::TransposedConvolutionOp>(inside))
      return convert(group, entry, op,
                     {op.getResult(), op.getWeight(), op.getInput(), {}});
    if (auto op = dyn_cast<graph::ConvolutionWeightGradientOp>(inside))
      return convert(group, entry, op,
                     {op.getInput(), op.getResult(), op.getCotangent(), {}});
  }
  return group.emitOpError("expected a convolution");
}
