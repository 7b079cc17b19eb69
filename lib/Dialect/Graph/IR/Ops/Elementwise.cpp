// Family Elementwise: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "mpc/Dialect/Graph/Settings/Real.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::graph;

#define MPC_INFER_BINARY(Op)                                                   \
  LogicalResult Op::inferReturnTypes(                                          \
      MLIRContext *, std::optional<Location> loc, Adaptor adaptor,             \
      SmallVectorImpl<Type> &types) {                                          \
    return inferBroadcast(loc, adaptor.getOperands(),                          \
                          mlir::getElementTypeOrSelf(adaptor.getLhs()),        \
                          types);                                              \
  }
MPC_INFER_BINARY(AddOp)
MPC_INFER_BINARY(SubOp)
MPC_INFER_BINARY(MulOp)
MPC_INFER_BINARY(DivOp)
MPC_INFER_BINARY(PowOp)
MPC_INFER_BINARY(MaximumOp)
MPC_INFER_BINARY(MinimumOp)
MPC_INFER_BINARY(LogicalAndOp)
MPC_INFER_BINARY(LogicalOrOp)
#undef MPC_INFER_BINARY

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferBroadcast(loc, adaptor.getOperands(),
                        IntegerType::get(context, 1), types);
}

LogicalResult IsNanOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  return inferBroadcast(loc, adaptor.getOperands(),
                        IntegerType::get(context, 1), types);
}

LogicalResult IsInfOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  return inferBroadcast(loc, adaptor.getOperands(),
                        IntegerType::get(context, 1), types);
}

LogicalResult ClampOp::verify() {
  if (!getMin() && !getMax()) // C2
    return emitOpError("expected min, max or both, but got neither");
  Type compute = getComputeType(getInput().getType().getElementType());
  for (mlir::FloatAttr bound : {getMinAttr(), getMaxAttr()})
    if (bound && !bound.getValue().isFinite()) // C3
      return emitOpError("expected finite bounds, but got ")
             << bound.getValueAsDouble();
    else if (bound &&
             !isHeldBy(bound.getValue(),
                       cast<FloatType>(compute).getFloatSemantics())) // C3
      return emitOpError("expected bounds in the range of ")
             << compute << ", but got " << bound;
  return success();
}

SmallVector<llvm::APFloat> ClampOp::getRoundedNumbers() {
  SmallVector<llvm::APFloat> bounds;
  for (std::optional<llvm::APFloat> bound : {getMin(), getMax()})
    if (bound)
      bounds.push_back(*bound);
  return bounds;
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type onTrue = mlir::getElementTypeOrSelf(adaptor.getOnTrue());
  Type onFalse = mlir::getElementTypeOrSelf(adaptor.getOnFalse());
  if (onTrue != onFalse)
    return mlir::emitOptionalError(
        loc, "expected both values to have one element type, but got ", onTrue,
        " and ", onFalse);
  return inferBroadcast(loc, adaptor.getOperands(), onTrue, types);
}
