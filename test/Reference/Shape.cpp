// Family Shape of the reference interpreter.
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "Reference/Families.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <limits>

using namespace mpc;
using namespace mpc::reference;

using Position = std::vector<int64_t>;

static Position positionOf(size_t flat, const Shape &shape) {
  Position position(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    position[dim] = static_cast<int64_t>(flat) % shape[dim];
    flat /= static_cast<size_t>(shape[dim]);
  }
  return position;
}

static size_t flatOf(const Position &position, const Shape &shape) {
  size_t flat = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    flat = flat * static_cast<size_t>(shape[dim]) +
           static_cast<size_t>(position[dim]);
  return flat;
}

static void copyElement(const Tensor &from, size_t source, Tensor &to,
                        size_t target) {
  if (to.isFloat())
    to.reals[target] = from.reals[source];
  else
    to.ints[target] = from.ints[source];
}

/// Copies element `position` of the input to element `move(position)` of the
/// result.
template <typename Move>
static Answer scatter(const Tensor &from, Tensor &to, Move move) {
  for (size_t i = 0; i < from.size(); ++i)
    copyElement(from, i, to, flatOf(move(positionOf(i, from.shape)), to.shape));
  return success();
}

/// Copies element `move(position)` of the input to element `position` of the
/// result.
template <typename Move>
static Answer gather(const Tensor &from, Tensor &to, Move move) {
  for (size_t i = 0; i < to.size(); ++i)
    copyElement(from, flatOf(move(positionOf(i, to.shape)), from.shape), to, i);
  return success();
}

static Position plus(Position position, ArrayRef<int64_t> offset) {
  for (size_t dim = 0; dim < position.size(); ++dim)
    position[dim] += offset[dim];
  return position;
}

static Answer constant(graph::ConstantOp op, Results out) {
  auto elements = dyn_cast<mlir::DenseElementsAttr>(op.getValue());
  if (!elements)
    return op.emitError("expected dense elements");
  size_t i = 0;
  if (out[0].isFloat())
    for (const llvm::APFloat &value : elements.getValues<llvm::APFloat>()) {
      llvm::APFloat wide = value;
      bool exact;
      wide.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &exact);
      out[0].reals[i++] = wide.convertToDouble();
    }
  else
    for (const llvm::APInt &value : elements.getValues<llvm::APInt>())
      out[0].ints[i++] = out[0].type == DType::I1 ? value.getZExtValue()
                                                  : value.getSExtValue();
  return success();
}

static Answer iota(int64_t dim, Results out) {
  for (size_t i = 0; i < out[0].size(); ++i)
    out[0].ints[i] = positionOf(i, out[0].shape)[dim];
  return success();
}

static Answer concat(int64_t dim, Operands in, Results out) {
  Position offset(out[0].shape.size(), 0);
  for (const Tensor *input : in) {
    (void)scatter(*input, out[0],
                  [&](Position at) { return plus(std::move(at), offset); });
    offset[dim] += input->shape[dim];
  }
  return success();
}

static Answer stack(int64_t dim, Operands in, Results out) {
  for (auto [index, input] : llvm::enumerate(in))
    (void)scatter(*input, out[0], [&, index = index](Position at) {
      at.insert(at.begin() + dim, static_cast<int64_t>(index));
      return at;
    });
  return success();
}

static Answer split(int64_t dim, Operands in, Results out) {
  Position offset(in[0]->shape.size(), 0);
  for (Tensor &part : out) {
    (void)gather(*in[0], part,
                 [&](Position at) { return plus(std::move(at), offset); });
    offset[dim] += part.shape[dim];
  }
  return success();
}

/// The answer whose element copies that of the input at `source` of each
/// coordinate, which is relative to `low`, and of the size of its dim.
template <typename Source>
static Answer copyFrom(ArrayRef<int64_t> low, Operands in, Results out,
                       Source source) {
  return gather(*in[0], out[0], [&](Position at) {
    for (size_t dim = 0; dim < at.size(); ++dim)
      at[dim] = source(at[dim] - low[dim], in[0]->shape[dim]);
    return at;
  });
}

/// Steps from `i` towards the input, mirrored at each end.
static int64_t reflect(int64_t i, int64_t size) {
  if (i < 0)
    i = -i;
  return i < size ? i : 2 * (size - 1) - i;
}

/// Ops that copy elements by their place.
static Answer copyPlaces(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::FlipOp>([&](auto op) {
        return gather(*in[0], out[0], [&](Position at) {
          for (int64_t dim : op.getDims())
            at[dim] = in[0]->shape[dim] - 1 - at[dim];
          return at;
        });
      })
      .Case<graph::TileOp>([&](auto op) {
        Position none(op.getRepeats().size(), 0);
        return copyFrom(none, in, out,
                        [](int64_t i, int64_t n) { return i % n; });
      })
      .Case<graph::ReflectionPadOp>(
          [&](auto op) { return copyFrom(op.getLow(), in, out, reflect); })
      .Case<graph::ReplicationPadOp>([&](auto op) {
        return copyFrom(op.getLow(), in, out, [](int64_t i, int64_t n) {
          return std::clamp<int64_t>(i, 0, n - 1);
        });
      })
      .Case<graph::CircularPadOp>([&](auto op) {
        return copyFrom(op.getLow(), in, out,
                        [](int64_t i, int64_t n) { return (i + n) % n; });
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// What stands beside the input of a window.
static void fillLowest(Tensor &out) {
  out.reals.assign(out.reals.size(), -std::numeric_limits<double>::infinity());
  int64_t least = out.type == DType::I64   ? std::numeric_limits<int64_t>::min()
                  : out.type == DType::I32 ? std::numeric_limits<int32_t>::min()
                                           : 0;
  out.ints.assign(out.ints.size(), least);
}

static Answer window(graph::WindowOp op, Operands in, Results out) {
  if (op.getLowest())
    fillLowest(out[0]);
  for (size_t i = 0; i < out[0].size(); ++i) {
    Position at = positionOf(i, out[0].shape);
    bool isThere = true;
    for (size_t dim = 0; dim < at.size(); ++dim) {
      int64_t spread = op.getSpread(dim);
      int64_t place = at[dim] * op.getStep(dim) + op.getOffsets()[dim];
      isThere &= place >= 0 && place < in[0]->shape[dim] * spread &&
                 (op.getRepeat() || place % spread == 0);
      at[dim] = place / spread;
    }
    if (isThere)
      copyElement(*in[0], flatOf(at, in[0]->shape), out[0], i);
  }
  return success();
}

Answer reference::evaluateShape(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::ConstantOp>([&](auto op) { return constant(op, out); })
      .Case<graph::IotaOp>([&](auto op) { return iota(op.getDim(), out); })
      .Case<graph::ReshapeOp>([&](auto) {
        out[0].reals = in[0]->reals;
        out[0].ints = in[0]->ints;
        return success();
      })
      .Case<graph::OptimizationBarrierOp>([&](auto) {
        out[0].reals = in[0]->reals;
        out[0].ints = in[0]->ints;
        return success();
      })
      .Case<graph::TransposeOp>([&](auto op) {
        return gather(*in[0], out[0], [&](const Position &at) {
          Position from(at.size());
          for (auto [dim, source] : llvm::enumerate(op.getPermutation()))
            from[source] = at[dim];
          return from;
        });
      })
      .Case<graph::BroadcastOp>([&](auto) {
        auto map = broadcastMap(in[0]->shape, out[0].shape);
        for (size_t i = 0; i < map.size(); ++i)
          copyElement(*in[0], map[i], out[0], i);
        return success();
      })
      .Case<graph::SliceOp>([&](auto op) {
        return gather(*in[0], out[0], [&](const Position &at) {
          Position from = at;
          for (size_t dim = 0; dim < at.size(); ++dim)
            from[dim] *= op.getStep(dim);
          return plus(std::move(from), op.getOffsets());
        });
      })
      .Case<graph::WindowOp>([&](auto op) { return window(op, in, out); })
      .Case<graph::PadOp>([&](auto op) {
        return scatter(*in[0], out[0], [&](const Position &at) {
          return plus(at, op.getLow());
        });
      })
      .Case<graph::ConcatOp>(
          [&](auto op) { return concat(op.getDim(), in, out); })
      .Case<graph::StackOp>(
          [&](auto op) { return stack(op.getDim(), in, out); })
      .Case<graph::SplitOp>(
          [&](auto op) { return split(op.getDim(), in, out); })
      .Default([&](Operation *op) { return copyPlaces(op, in, out); });
}
