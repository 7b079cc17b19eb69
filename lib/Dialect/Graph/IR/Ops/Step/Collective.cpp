// Family Collective: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult AllReduceOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getInputs().getTypes());
  return success();
}

/// What is one message.
template <typename Op> static LogicalResult verifyInputs(Op op) {
  if (op.getInputs().empty()) // C1
    return op.emitOpError("expected at least one input");
  Type first = mlir::getElementTypeOrSelf(op.getInputs().front());
  for (Value input : op.getInputs()) // C2
    if (Type element = mlir::getElementTypeOrSelf(input); element != first)
      return op.emitOpError("expected inputs of one element type, but got ")
             << first << " and " << element;
  return success();
}

LogicalResult AllReduceOp::verify() {
  if (failed(verifyInputs(*this)))
    return failure();
  int64_t bucket = getBucket();
  if (getGroup().empty() || bucket < 0) // C4
    return emitOpError("expected a named group and a bucket >= 0, but got '")
           << getGroup() << "' and " << bucket;
  return success();
}

LogicalResult SumOverRanksOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult SumOverRanksOp::verify() {
  if (failed(verifyInputs(*this)))
    return failure();
  if (getGroup().empty()) // C4
    return emitOpError("expected a group with a name, but got ''");
  return success();
}
