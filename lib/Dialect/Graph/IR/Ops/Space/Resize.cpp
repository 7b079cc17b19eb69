// Family Resize: where elements come from, type inference.
#include "mpc/Dialect/Graph/IR/Ops/Space/Resize.h"
#include "WindowNumbers.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mpc;
using namespace mpc::graph;

//===-- Type inference ----------------------------------------------------===//

namespace {
std::string toText(ArrayRef<double> numbers) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleaveComma(
      numbers, out, [&](double number) { out << llvm::format("%g", number); });
  return text;
}

template <typename Adaptor>
LogicalResult inferResize(MaybeLoc loc, Adaptor op, Value from,
                          SmallVectorImpl<Type> &types) {
  ArrayRef<int64_t> shape = shapeOf(from);
  size_t rank = shape.size() - 2;
  FailureOr<SmallVector<int64_t>> sizes =
      readNumbers(loc, "sizes", op.getSizes(), rank, 1);
  if (failed(sizes)) // C2
    return failure();
  if (std::optional<ArrayRef<double>> scales = op.getScales()) { // C3
    auto isScale = [](double scale) {
      return std::isfinite(scale) && scale > 0;
    };
    if (scales->size() != rank || !llvm::all_of(*scales, isScale))
      return mlir::emitOptionalError(loc, "expected 'scales' to be ", rank,
                                     " finite numbers greater than 0, one for "
                                     "each dim of space, but got [",
                                     toText(*scales), "]");
  }
  if (op.getAlignCorners() + op.getAsymmetric() + op.getPytorchHalfPixel() > 1)
    return mlir::emitOptionalError( // C4
        loc, "expected one of `align_corners`, `asymmetric` and "
             "`pytorch_half_pixel`, but got several");
  types.push_back(
      RankedTensorType::get(withSpace(shape, op.getChannelsLast(), *sizes),
                            mlir::getElementTypeOrSelf(from)));
  return success();
}
} // namespace

#define MPC_INFER_RESIZE(Op)                                                   \
  LogicalResult Op::inferReturnTypes(MLIRContext *, MaybeLoc loc, Adaptor op,  \
                                     SmallVectorImpl<Type> &types) {           \
    if (failed(countSpaceDims(loc, "an input", op.getInput()))) /* C1 */       \
      return failure();                                                        \
    return inferResize(loc, op, op.getInput(), types);                         \
  }
MPC_INFER_RESIZE(ResizeLinearOp)
MPC_INFER_RESIZE(ResizeCubicOp)
#undef MPC_INFER_RESIZE

LogicalResult ResizeNearestOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                                Adaptor op,
                                                SmallVectorImpl<Type> &types) {
  if (failed(countSpaceDims(loc, "an input", op.getInput()))) // C1
    return failure();
  if (op.getFloor() + op.getCeil() + op.getPreferCeil() > 1) // C5
    return mlir::emitOptionalError(
        loc,
        "expected one of `floor`, `ceil` and `prefer_ceil`, but got several");
  return inferResize(loc, op, op.getInput(), types);
}

LogicalResult ResizeGradientOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                                 Adaptor op,
                                                 SmallVectorImpl<Type> &types) {
  if (failed(countSpaceDims(loc, "a cotangent", op.getCotangent()))) // C1
    return failure();
  if (op.getLinear() + op.getCubic() + op.getFloor() + op.getCeil() +
          op.getPreferCeil() >
      1) // C5
    return mlir::emitOptionalError(
        loc, "expected one of `linear`, `cubic`, `floor`, `ceil` and "
             "`prefer_ceil`, but got several");
  return inferResize(loc, op, op.getCotangent(), types);
}

/// Elements of a block along `rank` dims; failure if they are too many to
/// count.
static FailureOr<int64_t> countBlock(MaybeLoc loc, int64_t factor,
                                     size_t rank) {
  int64_t block = 1;
  bool isCounted = factor >= 1;
  for (size_t dim = 0; isCounted && dim < rank; ++dim)
    isCounted = !llvm::MulOverflow(block, factor, block);
  if (isCounted)
    return block;
  return mlir::emitOptionalError(
      loc,
      "expected a factor of 1 or more, and blocks of less than 2^63 elements, "
      "but got a factor of ",
      factor, " along ", rank, " dims");
}

LogicalResult PixelShuffleOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                               Adaptor op,
                                               SmallVectorImpl<Type> &types) {
  if (failed(countSpaceDims(loc, "an input", op.getInput())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  auto factor = static_cast<int64_t>(op.getFactor());
  FailureOr<int64_t> block = countBlock(loc, factor, shape.size() - 2);
  if (failed(block)) // C1
    return failure();
  auto channel =
      static_cast<size_t>(channelDimOf(shape.size(), op.getChannelsLast()));
  if (shape[channel] % *block != 0) // C2
    return mlir::emitOptionalError(loc, "expected channels that ", *block,
                                   ", the elements of a block, divides, but "
                                   "got ",
                                   shape[channel]);
  Shape result(shape);
  for (size_t dim = 1; dim < shape.size(); ++dim)
    if (dim == channel)
      result[dim] /= *block;
    else if (llvm::MulOverflow(result[dim], factor, result[dim]))
      return mlir::emitOptionalError(loc, "expected sizes of 63 bits, but ",
                                     shape[dim], " * ", factor, " has more");
  types.push_back(
      RankedTensorType::get(result, mlir::getElementTypeOrSelf(op.getInput())));
  return success();
}

LogicalResult PixelUnshuffleOp::inferReturnTypes(MLIRContext *, MaybeLoc loc,
                                                 Adaptor op,
                                                 SmallVectorImpl<Type> &types) {
  if (failed(countSpaceDims(loc, "an input", op.getInput())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  auto factor = static_cast<int64_t>(op.getFactor());
  FailureOr<int64_t> block = countBlock(loc, factor, shape.size() - 2);
  if (failed(block)) // C1
    return failure();
  auto channel =
      static_cast<size_t>(channelDimOf(shape.size(), op.getChannelsLast()));
  Shape result(shape);
  for (size_t dim = 1; dim < shape.size(); ++dim) {
    if (dim == channel)
      continue;
    if (shape[dim] % factor != 0) // C2
      return mlir::emitOptionalError(loc, "expected sizes of space that ",
                                     factor, " divides, but got ", shape[dim],
                                     " along dim ", dim);
    result[dim] /= factor;
  }
  if (llvm::MulOverflow(result[channel], *block, result[channel]))
    return mlir::emitOptionalError(loc, "expected sizes of 63 bits, but ",
                                   shape[channel], " * ", *block, " has more");
  types.push_back(
      RankedTensorType::get(result, mlir::getElementTypeOrSelf(op.getInput())));
  return success();
}

//===-- Which elements ----------------------------------------------------===//

namespace {
/// Where element `index` of `to` lies among `from` elements. Without scales it
/// is one division of whole numbers: a place that is whole, or between two
/// elements, is so to the bit, and no other one is.
template <typename Op>
double findPlace(Op op, size_t dim, int64_t index, int64_t from, int64_t to) {
  auto at = static_cast<double>(index), n = static_cast<double>(from),
       m = static_cast<double>(to);
  if (op.getAlignCorners())
    return to == 1 ? 0 : at * (n - 1) / (m - 1);
  if (!op.getAsymmetric() && op.getPytorchHalfPixel() && to == 1)
    return 0;
  if (op.getScales()) {
    double scale = (*op.getScales())[dim];
    double place = op.getAsymmetric() ? at / scale : (at + 0.5) / scale - 0.5;
    // Far behind the input all is its edge; a distance has to be a number.
    return std::min(place, n + 2);
  }
  return op.getAsymmetric() ? at * n / m : ((2 * at + 1) * n - m) / (2 * m);
}

/// Adds up what is read at one index; what is beside the input, at its edge.
void addTap(SmallVectorImpl<Tap> &taps, double index, double weight,
            int64_t from) {
  double last = static_cast<double>(from) - 1;
  auto at = static_cast<int64_t>(std::clamp(index, 0.0, last));
  if (!taps.empty() && taps.back().from == at)
    taps.back().weight += weight;
  else
    taps.push_back({at, weight});
}

using AddTaps =
    function_ref<void(double place, int64_t from, SmallVectorImpl<Tap> &taps)>;

/// Of space of `from` that becomes `to`.
template <typename Op>
SmallVector<Taps> makeTaps(Op op, ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                           AddTaps add) {
  SmallVector<Taps> all;
  for (size_t dim = 0; dim < to.size(); ++dim) {
    Taps &taps = all.emplace_back(Taps{from[dim], {}});
    for (int64_t index = 0; index < to[dim]; ++index) {
      SmallVector<Tap, 2> &own = taps.results.emplace_back();
      add(findPlace(op, dim, index, from[dim], to[dim]), from[dim], own);
      llvm::erase_if(own, [](Tap tap) { return tap.weight == 0; });
    }
  }
  return all;
}

template <typename Op>
SmallVector<Taps> makeNearest(Op op, ArrayRef<int64_t> from,
                              ArrayRef<int64_t> to) {
  return makeTaps(op, from, to,
                  [&](double place, int64_t size, SmallVectorImpl<Tap> &taps) {
                    double index = op.getFloor()  ? std::floor(place)
                                   : op.getCeil() ? std::ceil(place)
                                   : op.getPreferCeil()
                                       ? std::floor(place + 0.5)
                                       : std::ceil(place - 0.5);
                    addTap(taps, index, 1, size);
                  });
}

template <typename Op>
SmallVector<Taps> makeLinear(Op op, ArrayRef<int64_t> from,
                             ArrayRef<int64_t> to) {
  return makeTaps(op, from, to,
                  [&](double place, int64_t size, SmallVectorImpl<Tap> &taps) {
                    double index = std::floor(place);
                    addTap(taps, index, 1 - (place - index), size);
                    addTap(taps, index + 1, place - index, size);
                  });
}

/// The weight of an element that lies `distance` away (Keys, 1981).
double weighCubic(double distance, double a) {
  double t = std::abs(distance);
  if (t <= 1)
    return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

template <typename Op>
SmallVector<Taps> makeCubic(Op op, ArrayRef<int64_t> from,
                            ArrayRef<int64_t> to) {
  double coefficient = op.getCoefficient().convertToDouble();
  return makeTaps(op, from, to,
                  [&](double place, int64_t size, SmallVectorImpl<Tap> &taps) {
                    double index = std::floor(place);
                    for (int step = -1; step <= 2; ++step)
                      addTap(taps, index + step,
                             weighCubic(place - (index + step), coefficient),
                             size);
                  });
}

/// The dims of space of the operand.
template <typename Op> ArrayRef<int64_t> findSpace(Op op) {
  return spaceOf(shapeOf(op->getOperand(0)), op.getChannelsLast());
}
} // namespace

SmallVector<Taps> ResizeNearestOp::getTaps() {
  return makeNearest(*this, findSpace(*this), getSizes());
}
SmallVector<Taps> ResizeLinearOp::getTaps() {
  return makeLinear(*this, findSpace(*this), getSizes());
}
SmallVector<Taps> ResizeCubicOp::getTaps() {
  return makeCubic(*this, findSpace(*this), getSizes());
}
SmallVector<Taps> ResizeGradientOp::getTaps() {
  if (getLinear())
    return makeLinear(*this, getSizes(), findSpace(*this));
  if (getCubic())
    return makeCubic(*this, getSizes(), findSpace(*this));
  return makeNearest(*this, getSizes(), findSpace(*this));
}
