// Family Indexing: type inference, ranges of indices.
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::graph;

/// Kernels compare indices with the size in the type of the indices.
static LogicalResult checkSize(std::optional<Location> loc,
                               RankedTensorType indices, int64_t size) {
  unsigned bits = indices.getElementType().getIntOrFloatBitWidth();
  if (size >= 1 && llvm::isIntN(bits, size))
    return success();
  return mlir::emitOptionalError(loc, "expected a size from 1 to the largest ",
                                 indices.getElementType(),
                                 " for these indices, but got ", size);
}

/// What is compared with indices must be one that their type has.
static LogicalResult checkIgnored(std::optional<Location> loc,
                                  RankedTensorType indices,
                                  std::optional<uint64_t> ignored) {
  if (!ignored || llvm::isIntN(indices.getElementType().getIntOrFloatBitWidth(),
                               int64_t(*ignored)))
    return success();
  return mlir::emitOptionalError(
      loc, "expected an ignore_index that ", indices.getElementType(),
      " indices can be, but got ", int64_t(*ignored));
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= input.getRank())
    return mlir::emitOptionalError(
        loc, "expected 'dim' to be one of the ", input.getRank(), " dims of ",
        toString(input.getShape()), ", but got ", dim);
  int64_t size = input.getDimSize(dim);
  if (failed(checkSize(loc, indices, size)))
    return failure();
  if (auto padding = adaptor.getPaddingIndex();
      padding && *padding >= uint64_t(size)) // negative ones, too
    return mlir::emitOptionalError(loc, "expected a padding_index in [0, ",
                                   size, "), but got ", int64_t(*padding));
  Shape shape(input.getShape().take_front(dim));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, input.getShape().drop_front(dim + 1));
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

LogicalResult SegmentSumOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  int64_t dim = adaptor.getDim(), size = adaptor.getSize();
  int64_t rank = input.getRank();
  size_t named = indices.getRank();
  if (dim < 0 || dim > rank)
    return mlir::emitOptionalError(
        loc, "expected 'dim' to be one of the ", rank, " dims of ",
        toString(input.getShape()), ", but got ", dim);
  ArrayRef<int64_t> rest = input.getShape().drop_front(dim);
  if (indices.getShape() != rest.take_front(named))
    return mlir::emitOptionalError(loc, "expected indices of the dims of ",
                                   toString(input.getShape()), " from dim ",
                                   dim, " on, which are ", toString(rest),
                                   ", but got ", toString(indices.getShape()));
  if (failed(checkSize(loc, indices, size)) ||
      failed(checkIgnored(loc, indices, adaptor.getIgnoreIndex())))
    return failure();
  Shape shape(input.getShape().take_front(dim));
  shape.push_back(size);
  llvm::append_range(shape, input.getShape().drop_front(dim + named));
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

/// C1 and C2 of ops whose indices stand where elements do: of `input`, of which
/// they name one along `dim`.
static LogicalResult checkElements(std::optional<Location> loc,
                                   RankedTensorType input,
                                   RankedTensorType indices, int64_t dim) {
  int64_t rank = input.getRank();
  if (indices.getRank() != rank || dim < 0 || dim >= rank)
    return mlir::emitOptionalError(loc, "expected indices of rank ", rank,
                                   " and 'dim' less than that, "
                                   "but got indices of rank ",
                                   indices.getRank(), " and dim ", dim);
  for (int64_t other = 0; other < rank; ++other)
    if (other != dim && indices.getDimSize(other) > input.getDimSize(other))
      return mlir::emitOptionalError(
          loc, "expected indices that are in no dim but ", dim, " longer than ",
          toString(input.getShape()), ", but got ",
          toString(indices.getShape()));
  return checkSize(loc, indices, input.getDimSize(dim));
}

LogicalResult GatherElementsOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  if (failed(checkElements(loc, input, indices, adaptor.getDim())))
    return failure();
  types.push_back(indices.clone(input.getElementType()));
  return success();
}

LogicalResult ScatterAddOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto input = cast<RankedTensorType>(adaptor.getInput().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  auto updates = cast<RankedTensorType>(adaptor.getUpdates().getType());
  if (failed(checkElements(loc, input, indices, adaptor.getDim())))
    return failure();
  if (updates.getShape() != indices.getShape())
    return mlir::emitOptionalError(
        loc, "expected an index for each update, but got indices ",
        toString(indices.getShape()), " and updates ",
        toString(updates.getShape()));
  if (updates.getElementType() != input.getElementType())
    return mlir::emitOptionalError(
        loc, "expected input and updates of one element type, but got ",
        input.getElementType(), " and ", updates.getElementType());
  types.push_back(input);
  return success();
}

LogicalResult OneHotOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  int64_t depth = adaptor.getDepth();
  if (failed(checkSize(loc, indices, depth)))
    return failure();
  Shape shape(indices.getShape());
  shape.push_back(depth);
  types.push_back(RankedTensorType::get(
      shape,
      adaptor.getElementType().value_or(mlir::Float32Type::get(context))));
  return success();
}

static LogicalResult inferTriangle(std::optional<Location> loc, Value input,
                                   SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(input.getType());
  if (type.getRank() < 2)
    return mlir::emitOptionalError(
        loc, "expected matrices, of rank 2 or more, but got ",
        toString(type.getShape()));
  types.push_back(type);
  return success();
}

LogicalResult TrilOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  return inferTriangle(loc, adaptor.getInput(), types);
}

LogicalResult TriuOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  return inferTriangle(loc, adaptor.getInput(), types);
}

//===-- Ranges of indices -------------------------------------------------===//

std::optional<LabelRange> GatherOp::getLabelRange(unsigned index) {
  if (index != getIndicesMutable().getOperandNumber())
    return std::nullopt;
  return LabelRange{getInput().getType().getDimSize(getDim()), std::nullopt};
}

std::optional<LabelRange> SegmentSumOp::getLabelRange(unsigned index) {
  if (index != getIndicesMutable().getOperandNumber())
    return std::nullopt;
  return LabelRange{int64_t(getSize()), getIgnoredIndex()};
}

std::optional<LabelRange> GatherElementsOp::getLabelRange(unsigned index) {
  if (index != getIndicesMutable().getOperandNumber())
    return std::nullopt;
  return LabelRange{getInput().getType().getDimSize(getDim()), std::nullopt};
}

std::optional<LabelRange> ScatterAddOp::getLabelRange(unsigned index) {
  if (index != getIndicesMutable().getOperandNumber())
    return std::nullopt;
  return LabelRange{getInput().getType().getDimSize(getDim()), std::nullopt};
}

int64_t SegmentSumOp::getSegmentDim() { return getDim(); }

std::optional<int64_t> SegmentSumOp::getIgnoredIndex() {
  auto index = getIgnoreIndex();
  return index ? std::optional(int64_t(*index)) : std::nullopt;
}
