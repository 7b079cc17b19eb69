// Family Reduction: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "mpc/Dialect/Graph/Settings/Real.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

#include "mpc/Dialect/Graph/IR/PartialFolds.cpp.inc"

using namespace mpc;
using namespace mpc::graph;

/// Whether `dims` are 0, 1, ...: those of rows.
static bool areFirst(ArrayRef<int64_t> dims) {
  return llvm::equal(dims, llvm::seq<int64_t>(0, dims.size()));
}

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

LogicalResult ProdOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  return inferReduction(loc, adaptor.getInput(), adaptor.getDims(),
                        adaptor.getKeepDims(), adaptor.getDtype(), types);
}

LogicalResult PartialSumOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> dims = adaptor.getDims(), shape = type.getShape();
  if (dims.size() >= shape.size() || !areFirst(dims)) // C1
    return mlir::emitOptionalError(
        loc, "expected dims to be the first of a tensor of rank ",
        type.getRank(), ", and not all, but got [", dims, "]");
  int64_t rowsPerPart = adaptor.getRows();
  if (rowsPerPart <= 0) // C2
    return mlir::emitOptionalError(
        loc, "expected rows greater than 0, but got ", rowsPerPart);
  int64_t rows = countReduced(shape, dims);
  SmallVector<int64_t> result = {int64_t(llvm::divideCeil(rows, rowsPerPart))};
  llvm::append_range(result, shape.drop_front(dims.size()));
  types.push_back(
      RankedTensorType::get(result, getComputeType(type.getElementType())));
  return success();
}

LogicalResult CumsumOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= type.getRank()) // C1
    return mlir::emitOptionalError(
        loc, "expected dim to be less than the rank ", type.getRank(),
        " and not negative, but got ", dim);
  return inferReduction(loc, adaptor.getInput(), /*dims=*/{},
                        /*keepDims=*/true, adaptor.getDtype(), types);
}

#define MPC_INFER_REDUCTION(Op)                                                \
  LogicalResult Op::inferReturnTypes(                                          \
      MLIRContext *, std::optional<Location> loc, Adaptor adaptor,             \
      SmallVectorImpl<Type> &types) {                                          \
    return inferReduction(loc, adaptor.getInput(), adaptor.getDims(),          \
                          adaptor.getKeepDims(), std::nullopt, types);         \
  }
MPC_INFER_REDUCTION(MaxOp)
MPC_INFER_REDUCTION(MinOp)
MPC_INFER_REDUCTION(AnyOp)
MPC_INFER_REDUCTION(AllOp)
MPC_INFER_REDUCTION(LogsumexpOp)
MPC_INFER_REDUCTION(VarOp)
MPC_INFER_REDUCTION(NormOp)
#undef MPC_INFER_REDUCTION

/// Types of an element and of its index.
template <typename Adaptor>
static LogicalResult inferWithIndex(std::optional<Location> loc,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  Value input = adaptor.getInput(), indices = adaptor.getIndices();
  if (shapeOf(input) != shapeOf(indices)) // C2
    return mlir::emitOptionalError(
        loc, "expected indices of the input's shape, but got ",
        indices.getType(), " for ", input.getType());
  for (Value folded : {input, indices})
    if (failed(inferReduction(loc, folded, adaptor.getDims(),
                              adaptor.getKeepDims(), std::nullopt, types)))
      return failure();
  return success();
}

LogicalResult MaxWithIndexOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  return inferWithIndex(loc, adaptor, types);
}

LogicalResult MinWithIndexOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  return inferWithIndex(loc, adaptor, types);
}

template <typename Adaptor>
static LogicalResult inferArg(MLIRContext *context, std::optional<Location> loc,
                              Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= type.getRank()) // C1
    return mlir::emitOptionalError(
        loc, "expected dim to be less than the rank ", type.getRank(),
        " and not negative, but got ", dim);
  Type index = adaptor.getIndexType().value_or(IntegerType::get(context, 32));
  if (!llvm::isIntN(index.getIntOrFloatBitWidth(),
                    type.getDimSize(dim) - 1)) // C2
    return mlir::emitOptionalError(loc, "expected an index_type that counts ",
                                   type.getDimSize(dim), " elements, but got ",
                                   index);
  types.push_back(RankedTensorType::get(
      reducedShape(type.getShape(), {dim}, adaptor.getKeepDims()), index));
  return success();
}

LogicalResult ArgmaxOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferArg(context, loc, adaptor, types);
}

LogicalResult ArgminOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  return inferArg(context, loc, adaptor, types);
}

LogicalResult GlobalNormOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location>, Adaptor,
                                             SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, mlir::Float32Type::get(context)));
  return success();
}

ReductionCombiner SumOp::getCombiner() { return ReductionCombiner::Add; }
ReductionCombiner PartialSumOp::getCombiner() { return ReductionCombiner::Add; }
ReductionCombiner ProdOp::getCombiner() { return ReductionCombiner::Multiply; }
ReductionCombiner MaxOp::getCombiner() { return ReductionCombiner::Max; }
ReductionCombiner MaxWithIndexOp::getCombiner() {
  return ReductionCombiner::MaxWithIndex;
}
ReductionCombiner MinWithIndexOp::getCombiner() {
  return ReductionCombiner::MinWithIndex;
}

SmallVector<int64_t> SumOp::getReducedDims() {
  return SmallVector<int64_t>(getDims());
}
SmallVector<int64_t> PartialSumOp::getReducedDims() {
  return SmallVector<int64_t>(getDims());
}
int64_t PartialSumOp::getRowsPerPart() { return getRows(); }

/// Of the first dims, but not of all; what is summed is not rounded first.
bool SumOp::canFoldInParts() {
  RankedTensorType type = getInput().getType();
  ArrayRef<int64_t> dims = getDims();
  return isa<FloatType>(type.getElementType()) &&
         type.getElementType() == getType().getElementType() &&
         dims.size() < size_t(type.getRank()) && areFirst(dims);
}

SmallVector<int64_t> ProdOp::getReducedDims() {
  return SmallVector<int64_t>(getDims());
}
SmallVector<int64_t> MaxOp::getReducedDims() {
  return SmallVector<int64_t>(getDims());
}
SmallVector<int64_t> MaxWithIndexOp::getReducedDims() {
  return SmallVector<int64_t>(getDims());
}
SmallVector<int64_t> MinWithIndexOp::getReducedDims() {
  return SmallVector<int64_t>(getDims());
}

LogicalResult VarOp::verify() {
  int64_t count = countReduced(getInput().getType().getShape(), getDims());
  if (getCorrection() > static_cast<uint64_t>(count)) // C3
    return emitOpError("expected a correction from 0 to ")
           << count << ", the number of elements reduced, but got "
           << static_cast<int64_t>(getCorrection());
  return success();
}

LogicalResult NormOp::verify() {
  double p = getP().convertToDouble();
  if (!(p > 0)) // C3
    return emitOpError("expected p greater than 0, but got ") << p;
  Type compute = getComputeType(getInput().getType().getElementType());
  const llvm::fltSemantics &format =
      cast<FloatType>(compute).getFloatSemantics();
  if (!std::isinf(p) && (!isHeldBy(llvm::APFloat(p), format) ||
                         !isHeldBy(llvm::APFloat(1 / p), format))) // C3
    return emitOpError("expected p and 1/p in the range of ")
           << compute << ", but got " << p;
  return success();
}

LogicalResult GlobalNormOp::verify() {
  if (getInputs().empty()) // C1
    return emitOpError("expected at least one input");
  if (double p = getNormType().convertToDouble(); !(p > 0)) // C2
    return emitOpError("expected a norm_type greater than 0, but got ") << p;
  return success();
}
