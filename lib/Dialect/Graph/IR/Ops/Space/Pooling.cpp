// Family Pooling: windows, type inference.
#include "mpc/Dialect/Graph/IR/Ops/Space/Pooling.h"
#include "WindowNumbers.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::graph;

//===-- The windows over one dim ------------------------------------------===//

PoolingDim PoolingDim::adapt(int64_t size, int64_t count) {
  PoolingDim dim{size, count, /*kernel=*/1};
  if (size % count == 0) {
    dim.kernel = dim.stride = size / count;
    return dim;
  }
  dim.isAdaptive = true;
  for (int64_t window = 0; window < count; ++window)
    dim.kernel = std::max(dim.kernel, dim.getLength(window));
  return dim;
}

int64_t PoolingDim::getPlace(int64_t window, int64_t number) const {
  return isAdaptive ? window * size / count + number
                    : window * stride - low + number * dilation;
}

int64_t PoolingDim::getLength(int64_t window) const {
  if (!isAdaptive)
    return kernel;
  int64_t end = llvm::divideCeil((window + 1) * size, count);
  return end - window * size / count;
}

int64_t PoolingDim::countPlaces(int64_t window, bool withPadding) const {
  int64_t before = withPadding ? low : 0, behind = withPadding ? high : 0;
  int64_t first = getPlace(window, 0), length = getLength(window);
  // Of the places first + k * dilation, those in front, and those up to the
  // end.
  auto countTo = [&](int64_t end) {
    int64_t room = end - first;
    return room <= 0
               ? 0
               : std::min<int64_t>(length, llvm::divideCeil(room, dilation));
  };
  return countTo(size + behind) - countTo(-before);
}

bool PoolingDim::isTrivial() const {
  return count == size && kernel == 1 && stride == 1 && low == 0;
}

Taps PoolingDim::getTaps() const {
  Taps taps{size, {}};
  for (int64_t window = 0; window < count; ++window) {
    SmallVector<Tap, 2> &places = taps.results.emplace_back();
    for (int64_t number = 0, e = getLength(window); number < e; ++number)
      if (int64_t place = getPlace(window, number); place >= 0 && place < size)
        places.push_back({place, 1.0});
  }
  return taps;
}

Expr graph::divideByCounts(Expr sums, const PoolingWindows &windows,
                           bool withPadding) {
  double all = 1;
  Expr counts;
  for (auto [number, dim] : llvm::enumerate(windows.dims)) {
    SmallVector<double> own;
    for (int64_t window = 0; window < dim.count; ++window)
      own.push_back(static_cast<double>(dim.countPlaces(window, withPadding)));
    if (llvm::all_equal(own)) {
      all *= own.front();
      continue;
    }
    int64_t at = windows.firstSpaceDim() + static_cast<int64_t>(number);
    Expr along =
        makeAlong(sums.builder(), sums.elementType(), own, at, sums.rank());
    counts = counts ? counts * along : along;
  }
  if (counts && all != 1)
    counts = counts * all;
  if (counts)
    return sums / counts;
  return all == 1 ? sums : sums / all;
}

//===-- What ops say of them ----------------------------------------------===//

namespace {
FailureOr<size_t> countSpaceDims(MaybeLoc loc, StringRef word, Value tensor) {
  size_t rank = shapeOf(tensor).size();
  if (rank >= 3 && rank <= 5)
    return rank - 2;
  return mlir::emitOptionalError(
      loc, "expected ", word,
      " of rank 3, 4 or 5 (batch, channels and space), but got ",
      toString(shapeOf(tensor)));
}

/// One for each dim of space, of a valid op.
PoolingWindows makeWindows(const SpaceWindows &windows,
                           ArrayRef<int64_t> kernel, ArrayRef<int64_t> space,
                           ArrayRef<int64_t> counts) {
  PoolingWindows pooling{{}, windows.channelsLast};
  for (size_t dim = 0; dim < windows.rank(); ++dim)
    pooling.dims.push_back({space[dim], counts[dim], kernel[dim],
                            windows.strides[dim], windows.low[dim],
                            windows.high[dim], windows.dilations[dim]});
  return pooling;
}

PoolingWindows adaptWindows(bool channelsLast, ArrayRef<int64_t> space,
                            ArrayRef<int64_t> counts) {
  PoolingWindows pooling{{}, channelsLast};
  for (auto [size, count] : llvm::zip_equal(space, counts))
    pooling.dims.push_back(PoolingDim::adapt(size, count));
  return pooling;
}

/// The dims of space of `tensor`.
ArrayRef<int64_t> spaceOf(Value tensor, bool channelsLast) {
  ArrayRef<int64_t> shape = shapeOf(tensor);
  return shape.slice(channelsLast ? 1 : 2, shape.size() - 2);
}

Shape withSpace(ArrayRef<int64_t> shape, bool channelsLast,
                ArrayRef<int64_t> space) {
  Shape result(shape);
  llvm::copy(space, result.begin() + (channelsLast ? 1 : 2));
  return result;
}

/// The first and the last windows are those that may hold nothing.
LogicalResult checkWindows(MaybeLoc loc, const PoolingWindows &windows) {
  for (auto [dim, own] : llvm::enumerate(windows.dims))
    for (int64_t window = 0; window < own.count; ++window)
      if (own.countPlaces(window, /*withPadding=*/false) == 0)
        return mlir::emitOptionalError(
            loc, "expected an element of the input in each window, but window ",
            window, " along dim ", dim, " of space holds places ",
            own.getPlace(window, 0), " to ",
            own.getPlace(window, own.kernel - 1), " in steps of ", own.dilation,
            " beside ", own.size, " elements");
  return success();
}

/// Where there is an index, of i32.
LogicalResult checkIndices(MaybeLoc loc, ArrayRef<int64_t> space) {
  int64_t elements = 1;
  for (int64_t size : space)
    if (llvm::MulOverflow(elements, size, elements) ||
        !llvm::isInt<32>(elements))
      return mlir::emitOptionalError(
          loc, "expected less than 2^31 elements of space, but got ",
          toString(space));
  return success();
}

/// The shape of the result of a pool.
template <typename Adaptor>
FailureOr<Shape> inferPool(MaybeLoc loc, Adaptor op) {
  FailureOr<size_t> rank = countSpaceDims(loc, "an input", op.getInput());
  if (failed(rank)) // C1
    return failure();
  FailureOr<SpaceWindows> windows = readWindows(loc, op, *rank);
  FailureOr<SmallVector<int64_t>> kernel =
      readNumbers(loc, "kernel", op.getKernel(), *rank, 1);
  if (failed(windows) || failed(kernel)) // C2
    return failure();
  if (op.getSame() && (op.getLow() || op.getHigh() || op.getCeil())) // C3
    return mlir::emitOptionalError(
        loc, "expected `same`, which chooses `low` and `high`, or those and "
             "`ceil`, but got both");
  ArrayRef<int64_t> space = windows->spaceOf(shapeOf(op.getInput()));
  if (op.getSame())
    padToSame(*windows, space, *kernel);
  FailureOr<Shape> sizes = slideWindows(*windows, space, *kernel, op.getCeil());
  if (failed(sizes)) // C4
    return refuseKernel(loc, *kernel, *windows, space, "places beside it");
  if (failed(checkWindows(loc,
                          makeWindows(*windows, *kernel, space, *sizes)))) // C5
    return failure();
  return withSpace(shapeOf(op.getInput()), op.getChannelsLast(), *sizes);
}

template <typename Adaptor>
FailureOr<Shape> inferAdaptive(MaybeLoc loc, Adaptor op) {
  FailureOr<size_t> rank = countSpaceDims(loc, "an input", op.getInput());
  if (failed(rank)) // C1
    return failure();
  FailureOr<SmallVector<int64_t>> sizes =
      readNumbers(loc, "sizes", op.getSizes(), *rank, 1);
  if (failed(sizes)) // C2
    return failure();
  return withSpace(shapeOf(op.getInput()), op.getChannelsLast(), *sizes);
}

/// A result of the input's elements, and perhaps one of indices.
template <typename Adaptor>
LogicalResult addTypes(MaybeLoc loc, Adaptor op, FailureOr<Shape> shape,
                       bool withIndex, SmallVectorImpl<Type> &types) {
  if (failed(shape))
    return failure();
  Type element = mlir::getElementTypeOrSelf(op.getInput());
  types.push_back(RankedTensorType::get(*shape, element));
  if (!withIndex)
    return success();
  if (failed(checkIndices(loc, spaceOf(op.getInput(), op.getChannelsLast()))))
    return failure();
  Type i32 = mlir::IntegerType::get(element.getContext(), 32);
  types.push_back(RankedTensorType::get(*shape, i32));
  return success();
}

template <typename Op> PoolingWindows getPool(Op op) {
  ArrayRef<int64_t> space = spaceOf(op.getInput(), op.getChannelsLast());
  SpaceWindows windows = *readWindows(std::nullopt, op, space.size());
  if (op.getSame())
    padToSame(windows, space, op.getKernel());
  return makeWindows(windows, op.getKernel(), space,
                     spaceOf(op.getResult(), op.getChannelsLast()));
}
} // namespace

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                          Adaptor op,
                                          SmallVectorImpl<Type> &types) {
  return addTypes(loc, op, inferPool(loc, op), /*withIndex=*/true, types);
}
LogicalResult AveragePoolOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                              Adaptor op,
                                              SmallVectorImpl<Type> &types) {
  return addTypes(loc, op, inferPool(loc, op), /*withIndex=*/false, types);
}
LogicalResult
AdaptiveMaxPoolOp::inferReturnTypes(MLIRContext *, MaybeLoc loc, Adaptor op,
                                    SmallVectorImpl<Type> &types) {
  return addTypes(loc, op, inferAdaptive(loc, op), /*withIndex=*/true, types);
}
LogicalResult
AdaptiveAveragePoolOp::inferReturnTypes(MLIRContext *, MaybeLoc loc, Adaptor op,
                                        SmallVectorImpl<Type> &types) {
  return addTypes(loc, op, inferAdaptive(loc, op), /*withIndex=*/false, types);
}

LogicalResult
MaxPoolGradientOp::inferReturnTypes(MLIRContext *, MaybeLoc loc, Adaptor op,
                                    SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> shape = shapeOf(op.getCotangent());
  FailureOr<size_t> rank =
      countSpaceDims(loc, "a cotangent", op.getCotangent());
  if (failed(rank))
    return failure();
  if (shapeOf(op.getIndex()) != shape) // C1
    return mlir::emitOptionalError(
        loc, "expected an index of the cotangent's shape, but got ",
        toString(shapeOf(op.getIndex())), " and ", toString(shape));
  FailureOr<SmallVector<int64_t>> sizes =
      readNumbers(loc, "sizes", op.getSizes(), *rank, 1);
  if (failed(sizes)) // C2
    return failure();
  for (auto [word, numbers, least] :
       {std::tuple<StringRef, MaybeNumbers, int64_t>("kernel", op.getKernel(),
                                                     1),
        {"strides", op.getStrides(), 1},
        {"dilations", op.getDilations(), 1},
        {"low", op.getLow(), 0}})
    if (failed(readNumbers(loc, word, numbers, *rank, least)))
      return failure();
  if (failed(checkIndices(loc, *sizes))) // C3
    return failure();
  types.push_back(
      RankedTensorType::get(withSpace(shape, op.getChannelsLast(), *sizes),
                            mlir::getElementTypeOrSelf(op.getCotangent())));
  return success();
}

PoolingWindows MaxPoolOp::getWindows() { return getPool(*this); }
PoolingWindows AveragePoolOp::getWindows() { return getPool(*this); }
PoolingWindows AdaptiveMaxPoolOp::getWindows() {
  return adaptWindows(getChannelsLast(), spaceOf(getInput(), getChannelsLast()),
                      getSizes());
}
PoolingWindows AdaptiveAveragePoolOp::getWindows() {
  return adaptWindows(getChannelsLast(), spaceOf(getInput(), getChannelsLast()),
                      getSizes());
}

PoolingWindows MaxPoolGradientOp::getWindows() {
  ArrayRef<int64_t> counts = spaceOf(getCotangent(), getChannelsLast());
  if (!getKernel())
    return adaptWindows(getChannelsLast(), getSizes(), counts);
  auto numbers = [&](MaybeNumbers given, int64_t usual) {
    return given ? SmallVector<int64_t>(*given)
                 : SmallVector<int64_t>(counts.size(), usual);
  };
  SmallVector<int64_t> none(counts.size(), 0);
  SpaceWindows windows{numbers(getStrides(), 1), numbers(getLow(), 0), none,
                       numbers(getDilations(), 1), getChannelsLast()};
  return makeWindows(windows, *getKernel(), getSizes(), counts);
}
