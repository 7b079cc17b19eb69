// Family Reduction: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;

/// Shape of the reduced result; element type `dtype` if given.
static LogicalResult inferReduction(std::optional<Location> loc, Value input,
                                    ArrayRef<int64_t> dims, bool keepDims,
                                    std::optional<Type> dtype,
                                    SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(input.getType());
  if (!areValidDims(dims, type.getRank()))
    return mlir::emitOptionalError(
        loc, "expected dims to be ascending, unique and less than the rank ",
        type.getRank(), ", but got [", dims, "]");
  if (dtype && !isa<FloatType>(type.getElementType()))
    return mlir::emitOptionalError(loc, "expected no dtype for a tensor of ",
                                   type.getElementType(), ", but got ", *dtype);
  types.push_back(
      RankedTensorType::get(reducedShape(type.getShape(), dims, keepDims),
                            dtype.value_or(type.getElementType())));
  return success();
}

LogicalResult SumOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferReduction(loc, adaptor.getInput(), adaptor.getDims(),
                        adaptor.getKeepDims(), adaptor.getDtype(), types);
}

LogicalResult MeanOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  return inferReduction(loc, adaptor.getInput(), adaptor.getDims(),
                        adaptor.getKeepDims(), adaptor.getDtype(), types);
}

LogicalResult MaxOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferReduction(loc, adaptor.getInput(), adaptor.getDims(),
                        adaptor.getKeepDims(), std::nullopt, types);
}

LogicalResult GlobalNormOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location>, Adaptor,
                                             SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, mlir::Float32Type::get(context)));
  return success();
}

ReductionCombiner SumOp::getCombiner() { return ReductionCombiner::Add; }
ReductionCombiner MaxOp::getCombiner() { return ReductionCombiner::Max; }

SmallVector<int64_t> SumOp::getReducedDims() {
  return SmallVector<int64_t>(getDims());
}
SmallVector<int64_t> MaxOp::getReducedDims() {
  return SmallVector<int64_t>(getDims());
}

LogicalResult GlobalNormOp::verify() {
  if (getInputs().empty()) // C1
    return emitOpError("expected at least one input");
  if (double p = getNormType().convertToDouble(); !(p > 0)) // C2
    return emitOpError("expected a norm_type greater than 0, but got ") << p;
  return success();
}
