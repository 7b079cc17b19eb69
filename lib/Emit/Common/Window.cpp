// Elements of an operand seen through a window: those that are there, and what
// stands where none is.
#include "Constants.h"
#include "PointEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mpc;
using namespace mpc::emit;
using mlir::getElementTypeOrSelf;
namespace arith = mlir::arith;
namespace vector = mlir::vector;

namespace {
/// What stands where no element is: 0, or the smallest number as memory holds
/// it.
mlir::TypedAttr getFill(mlir::ImplicitLocOpBuilder &b, Type storage,
                        bool isLowest) {
  if (auto type = dyn_cast<FloatType>(storage))
    return b.getFloatAttr(
        type, isLowest ? llvm::APFloat::getInf(type.getFloatSemantics(), true)
                       : llvm::APFloat::getZero(type.getFloatSemantics()));
  unsigned bits = storage.getIntOrFloatBitWidth();
  return b.getIntegerAttr(storage, isLowest && bits != 8
                                       ? llvm::APInt::getSignedMinValue(bits)
                                       : llvm::APInt::getZero(bits));
}

/// Whether both are so; null: that is so.
Value both(mlir::ImplicitLocOpBuilder &b, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, x, y);
}
} // namespace

/// Places in front of the input are negative, and unsigned ones behind it. All
/// have 31 bits: there is no overflow, though the flags of addresses, which are
/// never negative, do not hold.
std::pair<Value, Value>
PointEvaluator::seeThrough(const graph::WindowDim &window, Value number) {
  Type type = number.getType();
  Value zero = buildConstant(b, type, 0);
  Value end = buildConstant(b, type, window.size * window.spread);
  Value isThere =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number, end);
  Value safe = arith::SelectOp::create(b, isThere, number, zero);
  if (window.spread == 1)
    return {safe, isThere};
  Value spread = buildConstant(b, type, window.spread);
  Value element = arith::DivUIOp::create(b, safe, spread);
  if (window.repeats)
    return {element, isThere};
  Value rest = arith::RemUIOp::create(b, safe, spread);
  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, zero);
  return {element, both(b, isThere, isWhole)};
}

/// index * step + offset, where the index may be that of the first lane.
static Value findPlace(PointEvaluator &points, mlir::ImplicitLocOpBuilder &b,
                       const graph::WindowDim &window, const Scope &scope) {
  Value place = window.dim < 0 ? points.index(0) : scope.index[window.dim];
  if (window.step != 1)
    place = arith::MulIOp::create(b, place, points.index(window.step));
  if (window.offset > 0)
    place = arith::AddIOp::create(b, place, points.index(window.offset));
  if (window.offset < 0)
    place = arith::SubIOp::create(b, place, points.index(-window.offset));
  return place;
}

/// A dim of lanes is `readWindow`'s; one of a single index belongs to the item.
void PointEvaluator::addWindow(Place &place, const graph::Access &access,
                               const Scope &scope, uint64_t dims,
                               bool withFixed) {
  for (const graph::WindowDim &window : access.window) {
    bool isLanes =
        scope.isVector && options.lanes > 1 && window.dim == shape.axis;
    bool isNow = window.dim < 0 ? withFixed : dims >> window.dim & 1;
    if (isLanes || !isNow)
      continue;
    auto [element, isThere] =
        seeThrough(window, findPlace(*this, b, window, scope));
    if (window.stride != 1)
      element = arith::MulIOp::create(b, element, index(window.stride),
                                      options.overflow);
    place.address =
        arith::AddIOp::create(b, place.address, element, options.overflow);
    place.isThere = both(b, place.isThere, isThere);
  }
}

namespace {
/// How lanes lie beside each other in memory, as far as they do: so many
/// vectors of neighbours hold all that a window shows, and are few.
bool areNeighbours(const graph::WindowDim &window) {
  constexpr int64_t few = 4, most = int64_t(1) << 30; // numbered in 32 bits
  return window.stride == 1 && window.size <= most && window.step <= few &&
         window.spread <= few && (window.step == 1 || window.spread == 1);
}

/// Of neighbours, lane `rest` / `spread` first, each as often as its element is
/// seen; `fill` between them, unless they repeat.
Value spreadLanes(mlir::ImplicitLocOpBuilder &b, Value neighbours, Value fill,
                  const graph::WindowDim &window, int64_t rest) {
  auto type = cast<mlir::VectorType>(neighbours.getType());
  int64_t lanes = type.getNumElements();
  SmallVector<int64_t> from;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t place = rest + lane;
    bool isElement = window.repeats || place % window.spread == 0;
    from.push_back(isElement ? place / window.spread : lanes);
  }
  return vector::ShuffleOp::create(b, neighbours, fill, from);
}
} // namespace

/// The elements at `element`, an index that may be negative, and behind it;
/// `fill` where there is none. What a mask leaves out is never touched.
Value PointEvaluator::readNeighbours(Value memref,
                                     const graph::WindowDim &window,
                                     Place place, Value element, Value fill) {
  auto type = cast<mlir::VectorType>(fill.getType());
  auto numbers = mlir::VectorType::get(type.getShape(), b.getI32Type());
  // As far away as none is there, which 32 bits hold.
  Value near = arith::MaxSIOp::create(b, element, index(-lanes()));
  near = arith::MinSIOp::create(b, near, index(window.size));
  Value first = arith::IndexCastOp::create(b, b.getI32Type(), near);
  // Farther where the place is none along another dim.
  if (place.isThere)
    first = arith::SelectOp::create(
        b, place.isThere, first,
        buildConstant(b, first.getType(), std::numeric_limits<int32_t>::min()));
  Value each =
      arith::AddIOp::create(b, vector::BroadcastOp::create(b, numbers, first),
                            buildLanes(b, numbers, 1));
  Value mask = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, each,
                                     buildConstant(b, numbers, window.size));
  Value address = arith::AddIOp::create(b, place.address, element);
  return vector::MaskedLoadOp::create(b, type, memref, address, mask, fill);
}

/// Lanes from place `first` on, of which the window of their dim shows `fill`
/// where no element is.
Value PointEvaluator::readLanes(Value memref, const graph::WindowDim &window,
                                Place place, Value first, Value fill) {
  if (window.spread == 1) {
    SmallVector<Value> vectors;
    for (int64_t number = 0; number < window.step; ++number) {
      Value element = first;
      if (number)
        element = arith::AddIOp::create(b, first, index(number * lanes()));
      vectors.push_back(readNeighbours(memref, window, place, element, fill));
    }
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < lanes(); ++lane)
      from.push_back(lane * window.step);
    return pickLanes(b, vectors, from);
  }
  Value spread = index(window.spread);
  Value element = arith::FloorDivSIOp::create(b, first, spread);
  Value rest = arith::SubIOp::create(b, first,
                                     arith::MulIOp::create(b, element, spread));
  Value neighbours = readNeighbours(memref, window, place, element, fill);
  Value shown = spreadLanes(b, neighbours, fill, window, 0);
  for (int64_t number = 1; number < window.spread; ++number) {
    Value isIt =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, index(number));
    shown = arith::SelectOp::create(
        b, isIt, spreadLanes(b, neighbours, fill, window, number), shown);
  }
  return shown;
}

/// Reads some element where there is none, and then takes the fill instead.
Value PointEvaluator::readWindow(Value memref, const graph::Access &access,
                                 Place place, Scope &home) {
  bool hasLanes = home.isVector && options.lanes > 1;
  const auto *along =
      llvm::find_if(access.window, [&](const graph::WindowDim &window) {
        return hasLanes && window.dim == shape.axis;
      });
  Type element = getElementTypeOrSelf(memref);
  auto fillLike = [&](Type type) {
    return buildConstant(b, type, getFill(b, element, access.isLowest));
  };
  Value stored, isThere;
  if (along == access.window.end()) {
    int64_t stride = home.isVector ? access.strides[shape.axis] : 0;
    stored = memory.read(memref, place.address, stride, home);
  } else if (memory.hasMasks() && areNeighbours(*along)) {
    return readLanes(memref, *along, place, findPlace(*this, b, *along, home),
                     fillLike(inScope(element, /*isVector=*/true)));
  } else {
    Value first = spread(findPlace(*this, b, *along, home));
    Value places = arith::AddIOp::create(
        b, first, buildLanes(b, first.getType(), along->step));
    Value element;
    std::tie(element, isThere) = seeThrough(*along, places);
    if (along->stride != 1)
      element = arith::MulIOp::create(
          b, element, buildConstant(b, element.getType(), along->stride));
    stored = memory.readEach(memref, place.address, element, home);
  }
  Value fill = fillLike(stored.getType());
  for (Value condition : {isThere, place.isThere})
    if (condition)
      stored = arith::SelectOp::create(b, condition, stored, fill);
  return stored;
}
