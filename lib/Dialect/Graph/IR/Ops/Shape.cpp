// Family Shape: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, type.getRank())))
    return mlir::emitOptionalError(
        loc, "expected a permutation of the dims of ",
        toString(type.getShape()), ", but got [", permutation, "]");
  Shape shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> offsets = adaptor.getOffsets(), sizes = adaptor.getSizes();
  bool fits = offsets.size() == sizes.size() &&
              static_cast<int64_t>(sizes.size()) == type.getRank();
  for (size_t i = 0; fits && i < sizes.size(); ++i)
    fits = offsets[i] >= 0 && sizes[i] >= 1 &&
           offsets[i] <= type.getDimSize(i) - sizes[i];
  if (!fits)
    return mlir::emitOptionalError(loc, "expected offsets [", offsets,
                                   "] and sizes [", sizes, "] to lie within ",
                                   toString(type.getShape()));
  types.push_back(RankedTensorType::get(sizes, type.getElementType()));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> low = adaptor.getLow(), high = adaptor.getHigh();
  bool fits = low.size() == high.size() &&
              static_cast<int64_t>(low.size()) == type.getRank() &&
              llvm::all_of(low, [](int64_t n) { return n >= 0; }) &&
              llvm::all_of(high, [](int64_t n) { return n >= 0; });
  if (!fits)
    return mlir::emitOptionalError(
        loc, "expected one non-negative low and high per dim of ",
        toString(type.getShape()), ", but got [", low, "] and [", high, "]");
  Shape shape;
  for (auto [size, before, after] : llvm::zip(type.getShape(), low, high)) {
    std::optional<int64_t> padded = llvm::checkedAdd(size, before);
    padded = padded ? llvm::checkedAdd(*padded, after) : padded;
    if (!padded)
      return mlir::emitOptionalError(loc, "expected sizes of 63 bits, but ",
                                     before, " + ", size, " + ", after,
                                     " has more");
    shape.push_back(*padded);
  }
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (adaptor.getInputs().empty())
    return mlir::emitOptionalError(loc, "expected at least one input");
  auto first = cast<RankedTensorType>(adaptor.getInputs().front().getType());
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim >= first.getRank())
    return mlir::emitOptionalError(loc,
                                   "expected dim to be less than the rank ",
                                   first.getRank(), ", but got ", dim);
  Shape shape(first.getShape());
  shape[dim] = 0;
  for (Value input : adaptor.getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    Shape other(type.getShape());
    bool matches = type.getRank() == first.getRank();
    if (matches) {
      other[dim] = shape[dim];
      matches = other == shape;
    }
    if (!matches)
      return mlir::emitOptionalError(
          loc, "expected shapes to agree except in dim ", dim, ", but got ",
          toString(first.getShape()), " and ", toString(type.getShape()));
    std::optional<int64_t> joined =
        llvm::checkedAdd(shape[dim], type.getDimSize(dim));
    if (!joined)
      return mlir::emitOptionalError(loc, "expected sizes of 63 bits, but ",
                                     shape[dim], " + ", type.getDimSize(dim),
                                     " has more");
    shape[dim] = *joined;
  }
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

//===-- Verifiers --------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  auto type = getResult().getType();
  int64_t dim = getDim();
  if (dim < 0 || dim >= type.getRank()) // C1
    return emitOpError("expected dim to be less than the rank ")
           << type.getRank() << ", but got " << dim;
  int64_t last = type.getDimSize(dim) - 1;
  if (!llvm::isIntN(type.getElementTypeBitWidth(), last)) // C2
    return emitOpError("expected indices up to ")
           << last << " to fit " << type.getElementType();
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto from = getInput().getType(), to = getResult().getType();
  if (from.getNumElements() != to.getNumElements()) // C1
    return emitOpError("expected as many elements, but got ")
           << from.getNumElements() << " in " << toString(from.getShape())
           << " and " << to.getNumElements() << " in "
           << toString(to.getShape());
  return success();
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = getInput().getType().getShape();
  ArrayRef<int64_t> to = getResult().getType().getShape();
  FailureOr<Shape> shape = broadcastShapes({from, to});
  if (failed(shape) || ArrayRef<int64_t>(*shape) != to) // C1
    return emitOpError("expected the input's shape to broadcast to the "
                       "result's, but got ")
           << toString(from) << " and " << toString(to);
  return success();
}
