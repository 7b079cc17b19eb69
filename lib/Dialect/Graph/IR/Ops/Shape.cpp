// Family Shape: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

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
  std::optional<ArrayRef<int64_t>> steps = adaptor.getSteps();
  bool fits = offsets.size() == sizes.size() &&
              (!steps || steps->size() == sizes.size()) &&
              static_cast<int64_t>(sizes.size()) == type.getRank();
  for (size_t i = 0; fits && i < sizes.size(); ++i) {
    int64_t step = steps ? (*steps)[i] : 1, reach = 0;
    fits = offsets[i] >= 0 && sizes[i] >= 1 && step >= 1 &&
           !llvm::MulOverflow(sizes[i] - 1, step, reach) &&
           offsets[i] < type.getDimSize(i) &&
           reach < type.getDimSize(i) - offsets[i];
  }
  if (!fits && steps)
    return mlir::emitOptionalError(
        loc, "expected offsets [", offsets, "], sizes [", sizes,
        "] and steps [", *steps, "] to lie within ", toString(type.getShape()));
  if (!fits)
    return mlir::emitOptionalError(loc, "expected offsets [", offsets,
                                   "] and sizes [", sizes, "] to lie within ",
                                   toString(type.getShape()));
  types.push_back(RankedTensorType::get(sizes, type.getElementType()));
  return success();
}

/// Whether all of i * step + offset, i to `size`, are less than 2^31 - 1.
static bool isNearby(int64_t size, int64_t step, int64_t offset) {
  constexpr int64_t kLimit = (int64_t(1) << 31) - 1;
  int64_t reach = 0;
  return offset > -kLimit && offset < kLimit &&
         !llvm::MulOverflow(size - 1, step, reach) && reach < kLimit &&
         reach + offset < kLimit;
}

LogicalResult WindowOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  auto rank = static_cast<size_t>(type.getRank());
  ArrayRef<int64_t> offsets = adaptor.getOffsets(), sizes = adaptor.getSizes();
  SmallVector<int64_t> ones(rank, 1);
  ArrayRef<int64_t> steps = adaptor.getSteps().value_or(ones),
                    spread = adaptor.getSpread().value_or(ones);
  if (offsets.size() != rank || sizes.size() != rank || steps.size() != rank ||
      spread.size() != rank) // C1
    return mlir::emitOptionalError(
        loc, "expected offsets, sizes, steps and spread for each dim of ",
        toString(type.getShape()), ", but got ", offsets.size(), ", ",
        sizes.size(), ", ", steps.size(), " and ", spread.size());
  for (auto [word, numbers] :
       {std::pair<StringRef, ArrayRef<int64_t>>("sizes", sizes),
        {"steps", steps},
        {"spread", spread}})
    if (llvm::any_of(numbers, [](int64_t number) { return number < 1; })) // C2
      return mlir::emitOptionalError(loc, "expected ", word,
                                     " of 1 or more, but got [", numbers, "]");
  for (size_t dim = 0; dim < rank; ++dim)
    if (!isNearby(sizes[dim], steps[dim], offsets[dim]) ||
        !isNearby(type.getDimSize(dim) + 1, spread[dim], -offsets[dim])) // C3
      return mlir::emitOptionalError(
          loc, "expected places of a magnitude less than 2^31 - 1, but got ",
          sizes[dim], " of them from ", offsets[dim], " in steps of ",
          steps[dim], ", and ", type.getDimSize(dim), " elements ", spread[dim],
          " apart along dim ", dim);
  if (adaptor.getRepeat() && adaptor.getSteps()) // C4
    return mlir::emitOptionalError(
        loc, "expected `repeat` without `steps`, but got both");
  types.push_back(RankedTensorType::get(sizes, type.getElementType()));
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

LogicalResult StackOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  if (adaptor.getInputs().empty()) // C1
    return mlir::emitOptionalError(loc, "expected at least one input");
  auto first = cast<RankedTensorType>(adaptor.getInputs().front().getType());
  int64_t dim = adaptor.getDim();
  if (dim < 0 || dim > first.getRank()) // C2
    return mlir::emitOptionalError(loc, "expected dim to be at most the rank ",
                                   first.getRank(), ", but got ", dim);
  for (Value input : adaptor.getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    if (type.getShape() != first.getShape()) // C3
      return mlir::emitOptionalError(
          loc, "expected inputs of one shape, but got ",
          toString(first.getShape()), " and ", toString(type.getShape()));
  }
  Shape shape(first.getShape());
  shape.insert(shape.begin() + dim, adaptor.getInputs().size());
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

/// C1 of ops that have a `dim`.
static LogicalResult checkDim(std::optional<Location> loc, int64_t dim,
                              RankedTensorType type) {
  if (dim >= 0 && dim < type.getRank())
    return success();
  return mlir::emitOptionalError(loc, "expected dim to be less than the rank ",
                                 type.getRank(), " and not negative, but got ",
                                 dim);
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  int64_t dim = adaptor.getDim();
  if (failed(checkDim(loc, dim, type))) // C1
    return failure();
  // What is left of the dim: no sum, which could have more than 63 bits.
  int64_t rest = type.getDimSize(dim);
  for (int64_t size : adaptor.getSizes()) {
    if (size < 1 || size > rest) {
      rest = -1;
      break;
    }
    rest -= size;
    Shape shape(type.getShape());
    shape[dim] = size;
    types.push_back(RankedTensorType::get(shape, type.getElementType()));
  }
  if (rest != 0) // C2
    return mlir::emitOptionalError(
        loc, "expected sizes of 1 or more whose sum is ", type.getDimSize(dim),
        ", the size of dim ", dim, ", but got [", adaptor.getSizes(), "]");
  return success();
}

LogicalResult FlipOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  if (!areValidDims(adaptor.getDims(), type.getRank())) // C1
    return mlir::emitOptionalError(
        loc, "expected dims to be ascending, unique and less than the rank ",
        type.getRank(), ", but got [", adaptor.getDims(), "]");
  types.push_back(type);
  return success();
}

LogicalResult TileOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> repeats = adaptor.getRepeats();
  if (static_cast<int64_t>(repeats.size()) != type.getRank() ||
      llvm::any_of(repeats, [](int64_t n) { return n < 1; })) // C1
    return mlir::emitOptionalError(
        loc, "expected one number of repeats, 1 or more, per dim of ",
        toString(type.getShape()), ", but got [", repeats, "]");
  Shape shape;
  for (auto [size, times] : llvm::zip_equal(type.getShape(), repeats)) {
    std::optional<int64_t> tiled = llvm::checkedMul(size, times);
    if (!tiled)
      return mlir::emitOptionalError(loc, "expected sizes of 63 bits, but ",
                                     size, " * ", times, " has more");
    shape.push_back(*tiled);
  }
  types.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

/// The shape of `type` between `low` and `high`, which are not negative.
static LogicalResult inferPadded(std::optional<Location> loc,
                                 RankedTensorType type, ArrayRef<int64_t> low,
                                 ArrayRef<int64_t> high,
                                 SmallVectorImpl<Type> &types) {
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

/// The same where each is at most `size - spare`, of which there are that many
/// elements to copy.
static LogicalResult inferPaddedWithin(std::optional<Location> loc,
                                       RankedTensorType type,
                                       ArrayRef<int64_t> low,
                                       ArrayRef<int64_t> high, int64_t spare,
                                       SmallVectorImpl<Type> &types) {
  if (failed(inferPadded(loc, type, low, high, types)))
    return failure();
  for (auto [size, before, after] : llvm::zip(type.getShape(), low, high))
    if (int64_t most = std::max(before, after); most > size - spare) // C2
      return mlir::emitOptionalError(loc, "expected low and high of at most ",
                                     size - spare, " in a dim of size ", size,
                                     ", but got ", most);
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferPadded(loc, cast<RankedTensorType>(adaptor.getInput().getType()),
                     adaptor.getLow(), adaptor.getHigh(), types);
}

LogicalResult ReplicationPadOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  return inferPadded(loc, cast<RankedTensorType>(adaptor.getInput().getType()),
                     adaptor.getLow(), adaptor.getHigh(), types);
}

LogicalResult ReflectionPadOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  return inferPaddedWithin(
      loc, cast<RankedTensorType>(adaptor.getInput().getType()),
      adaptor.getLow(), adaptor.getHigh(), /*spare=*/1, types);
}

LogicalResult CircularPadOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  return inferPaddedWithin(
      loc, cast<RankedTensorType>(adaptor.getInput().getType()),
      adaptor.getLow(), adaptor.getHigh(), /*spare=*/0, types);
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
