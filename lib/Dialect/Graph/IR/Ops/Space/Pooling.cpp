// Family Pooling: windows, type inference.
#include "mpc/Dialect/Graph/IR/Ops/Space/Pooling.h"
#include "WindowNumbers.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

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
/// One for each dim of space.
PoolingWindows makeWindows(const SpaceWindows &windows,
                           ArrayRef<int64_t> kernel, ArrayRef<int64_t> space,
                           ArrayRef<int64_t> counts) {
  PoolingWindows pooling{{}, windows.channelsLast};
  for (size_t dim = 0; dim < windows.rank(); ++dim)
    // The way from one window to the next is of no matter where there is one.
    pooling.dims.push_back(
        {space[dim], counts[dim], kernel[dim],
         counts[dim] == 1 ? kernel[dim] : windows.strides[dim],
         windows.low[dim], windows.high[dim], windows.dilations[dim]});
  return pooling;
}

PoolingWindows adaptWindows(bool channelsLast, ArrayRef<int64_t> space,
                            ArrayRef<int64_t> counts) {
  PoolingWindows pooling{{}, channelsLast};
  for (auto [size, count] : llvm::zip_equal(space, counts))
    pooling.dims.push_back(PoolingDim::adapt(size, count));
  return pooling;
}

/// The first window without an element of the input.
std::optional<int64_t> findEmpty(const PoolingDim &own) {
  // A window that begins in front of the input has an element if it reaches it,
  // as the first one tells for all, and does not step over it. Where they
  // begin, counted in steps, repeats.
  int64_t inFront =
      std::min(own.count, llvm::divideCeilSigned<int64_t>(own.low, own.stride));
  int64_t candidates = 1;
  if (own.dilation > own.size)
    candidates = own.dilation / std::gcd(own.stride, own.dilation);
  for (int64_t window = 0; window < std::min(inFront, candidates); ++window)
    if (own.countPlaces(window, /*withPadding=*/false) == 0)
      return window;
  int64_t behind = llvm::divideCeilSigned(own.size + own.low, own.stride);
  return behind < own.count ? std::optional(behind) : std::nullopt;
}

LogicalResult checkWindows(MaybeLoc loc, const PoolingWindows &windows) {
  for (auto [dim, own] : llvm::enumerate(windows.dims))
    if (std::optional<int64_t> window = findEmpty(own))
      return mlir::emitOptionalError(
          loc, "expected an element of the input in each window, but window ",
          *window, " along dim ", dim, " of space holds places ",
          own.getPlace(*window, 0), " to ",
          own.getPlace(*window, own.kernel - 1), " in steps of ", own.dilation,
          " beside ", own.size, " elements");
  return success();
}

/// Places that windows may have along each dim, those beside the input counted.
Shape countReached(const PoolingWindows &windows) {
  return llvm::map_to_vector<6>(windows.dims, [](const PoolingDim &dim) {
    auto number = [](int64_t number) { return static_cast<double>(number); };
    double last = number(dim.count - 1) * number(dim.stride) +
                  number(dim.kernel - 1) * number(dim.dilation) + 1;
    double most =
        std::max(last, number(dim.low) + number(dim.size) + number(dim.high));
    return static_cast<int64_t>(std::min(most, 0x1p62));
  });
}

/// Kernels count in i32, a gradient up to three times as far.
LogicalResult checkReached(MaybeLoc loc, ArrayRef<int64_t> reached) {
  if (llvm::all_of(reached, [](int64_t places) { return places <= 1 << 29; }))
    return success();
  return mlir::emitOptionalError(
      loc,
      "expected windows over at most 2^29 places along each dim of space, "
      "those beside the input counted, but got ",
      toString(reached));
}

/// Where there is an index, of i32.
LogicalResult checkIndices(MaybeLoc loc, ArrayRef<int64_t> places) {
  int64_t total = 1;
  for (int64_t along : places)
    if (llvm::MulOverflow(total, along, total) || !llvm::isInt<32>(total))
      return mlir::emitOptionalError(
          loc,
          "expected less than 2^31 places of space for an index, those beside "
          "the input counted, but got ",
          toString(places));
  return success();
}

/// The shape of the result of a pool.
template <typename Adaptor>
FailureOr<Shape> inferPool(MaybeLoc loc, Adaptor op, bool withIndex) {
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
  PoolingWindows pooling = makeWindows(*windows, *kernel, space, *sizes);
  if (failed(checkReached(loc, countReached(pooling))) ||              // C5
      failed(checkWindows(loc, pooling)) ||                            // C6
      (withIndex && failed(checkIndices(loc, countReached(pooling))))) // C7
    return failure();
  return withSpace(shapeOf(op.getInput()), op.getChannelsLast(), *sizes);
}

template <typename Adaptor>
FailureOr<Shape> inferAdaptive(MaybeLoc loc, Adaptor op, bool withIndex) {
  FailureOr<size_t> rank = countSpaceDims(loc, "an input", op.getInput());
  if (failed(rank)) // C1
    return failure();
  FailureOr<SmallVector<int64_t>> sizes =
      readNumbers(loc, "sizes", op.getSizes(), *rank, 1);
  if (failed(sizes)) // C2
    return failure();
  ArrayRef<int64_t> space =
      spaceOf(shapeOf(op.getInput()), op.getChannelsLast());
  if (failed(checkReached(loc, space)) || failed(checkReached(loc, *sizes)) ||
      (withIndex && failed(checkIndices(loc, space)))) // C3, C4
    return failure();
  return withSpace(shapeOf(op.getInput()), op.getChannelsLast(), *sizes);
}

/// A result of the input's elements, and perhaps one of indices.
template <typename Adaptor>
LogicalResult addTypes(Adaptor op, FailureOr<Shape> shape, bool withIndex,
                       SmallVectorImpl<Type> &types) {
  if (failed(shape))
    return failure();
  Type element = mlir::getElementTypeOrSelf(op.getInput());
  types.push_back(RankedTensorType::get(*shape, element));
  if (!withIndex)
    return success();
  Type i32 = mlir::IntegerType::get(element.getContext(), 32);
  types.push_back(RankedTensorType::get(*shape, i32));
  return success();
}

/// The windows of the pool whose gradient `op` is, which has a kernel.
template <typename Op> PoolingWindows slideBack(Op op) {
  ArrayRef<int64_t> counts =
      spaceOf(shapeOf(op.getCotangent()), op.getChannelsLast());
  auto numbers = [&](MaybeNumbers given, int64_t usual) {
    return given ? SmallVector<int64_t>(*given)
                 : SmallVector<int64_t>(counts.size(), usual);
  };
  SmallVector<int64_t> none(counts.size(), 0);
  SpaceWindows windows{numbers(op.getStrides(), 1), numbers(op.getLow(), 0),
                       none, numbers(op.getDilations(), 1),
                       op.getChannelsLast()};
  return makeWindows(windows, *op.getKernel(), op.getSizes(), counts);
}

template <typename Op> PoolingWindows getPool(Op op) {
  ArrayRef<int64_t> space =
      spaceOf(shapeOf(op.getInput()), op.getChannelsLast());
  SpaceWindows windows = *readWindows(std::nullopt, op, space.size());
  if (op.getSame())
    padToSame(windows, space, op.getKernel());
  return makeWindows(windows, op.getKernel(), space,
                     spaceOf(shapeOf(op.getResult()), op.getChannelsLast()));
}
} // namespace

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                          Adaptor op,
                                          SmallVectorImpl<Type> &types) {
  return addTypes(op, inferPool(loc, op, /*withIndex=*/true), true, types);
}
LogicalResult AveragePoolOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                              Adaptor op,
                                              SmallVectorImpl<Type> &types) {
  return addTypes(op, inferPool(loc, op, /*withIndex=*/false), false, types);
}
LogicalResult
AdaptiveMaxPoolOp::inferReturnTypes(MLIRContext *, MaybeLoc loc, Adaptor op,
                                    SmallVectorImpl<Type> &types) {
  return addTypes(op, inferAdaptive(loc, op, /*withIndex=*/true), true, types);
}
LogicalResult
AdaptiveAveragePoolOp::inferReturnTypes(MLIRContext *, MaybeLoc loc, Adaptor op,
                                        SmallVectorImpl<Type> &types) {
  return addTypes(op, inferAdaptive(loc, op, /*withIndex=*/false), false,
                  types);
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
  Shape reached(*sizes);
  if (op.getKernel())
    reached = countReached(slideBack(op));
  if (failed(checkReached(loc, reached)) || // C3
      failed(checkReached(
          loc, spaceOf(shapeOf(op.getCotangent()), op.getChannelsLast()))) ||
      failed(checkIndices(loc, reached))) // C4
    return failure();
  types.push_back(
      RankedTensorType::get(withSpace(shape, op.getChannelsLast(), *sizes),
                            mlir::getElementTypeOrSelf(op.getCotangent())));
  return success();
}

PoolingWindows MaxPoolOp::getWindows() { return getPool(*this); }
PoolingWindows AveragePoolOp::getWindows() { return getPool(*this); }
PoolingWindows AdaptiveMaxPoolOp::getWindows() {
  return adaptWindows(getChannelsLast(),
                      spaceOf(shapeOf(getInput()), getChannelsLast()),
                      getSizes());
}
PoolingWindows AdaptiveAveragePoolOp::getWindows() {
  return adaptWindows(getChannelsLast(),
                      spaceOf(shapeOf(getInput()), getChannelsLast()),
                      getSizes());
}

PoolingWindows MaxPoolGradientOp::getWindows() {
  if (getKernel())
    return slideBack(*this);
  return adaptWindows(getChannelsLast(), getSizes(),
                      spaceOf(shapeOf(getCotangent()), getChannelsLast()));
}
