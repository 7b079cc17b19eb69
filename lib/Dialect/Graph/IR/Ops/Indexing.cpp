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

int64_t SegmentSumOp::getSegmentDim() { return getDim(); }

std::optional<int64_t> SegmentSumOp::getIgnoredIndex() {
  auto index = getIgnoreIndex();
  return index ? std::optional(int64_t(*index)) : std::nullopt;
}
