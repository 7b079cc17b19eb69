// Family Resize of the reference interpreter: from the coordinates, as ONNX
// writes them down, and the weights of elements around them.
#include "mpc/Dialect/Graph/IR/Ops/Space/Resize.h"
#include "Reference/Families.h"
#include "Reference/SpaceView.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mpc;
using namespace mpc::reference;

namespace {
struct Part {
  int64_t index;
  double weight;
};
using Parts = std::vector<Part>;

/// Between two elements: what is whole, and what is half way, exactly.
struct Place {
  int64_t down;
  double t; ///< 0 <= t < 1.
};

/// over / under, under > 0.
Place ratio(int64_t over, int64_t under) {
  int64_t rest = (over % under + under) % under;
  return {(over - rest) / under,
          static_cast<double>(rest) / static_cast<double>(under)};
}
Place placeAt(double x) {
  return {static_cast<int64_t>(std::floor(x)), x - std::floor(x)};
}

template <typename Op>
Place placeOf(Op op, size_t dim, int64_t o, int64_t n, int64_t m) {
  if (op.getAlignCorners())
    return m > 1 ? ratio(o * (n - 1), m - 1) : Place{0, 0};
  if (op.getPytorchHalfPixel() && m == 1)
    return {0, 0};
  if (op.getScales()) {
    auto at = static_cast<double>(o), scale = (*op.getScales())[dim];
    double x = op.getAsymmetric() ? at / scale : (at + 0.5) / scale - 0.5;
    // All that is read there is the last element, and weights add up to 1.
    return x < static_cast<double>(n) + 2 ? placeAt(x) : Place{n + 2, 0};
  }
  // (o + 1/2) * n / m - 1/2
  return op.getAsymmetric() ? ratio(o * n, m)
                            : ratio((2 * o + 1) * n - m, 2 * m);
}

template <typename Op> Parts nearest(Op op, Place x) {
  int64_t up = x.down + (x.t > 0 ? 1 : 0);
  bool isUp = op.getPreferCeil() ? x.t >= 0.5 : x.t > 0.5;
  if (op.getFloor() || op.getCeil())
    isUp = op.getCeil();
  return {{isUp ? up : x.down, 1}};
}
Parts linear(Place x) { return {{x.down, 1 - x.t}, {x.down + 1, x.t}}; }
Parts cubic(double a, Place x) {
  int64_t index = x.down;
  double t = x.t;
  // The weights of Keys' kernel, multiplied out.
  return {{index - 1, a * (t * t * t - 2 * t * t + t)},
          {index, (a + 2) * t * t * t - (a + 3) * t * t + 1},
          {index + 1, -(a + 2) * t * t * t + (2 * a + 3) * t * t - a * t},
          {index + 2, -a * t * t * t + a * t * t}};
}

Parts partsOf(graph::ResizeNearestOp op, Place x) { return nearest(op, x); }
Parts partsOf(graph::ResizeLinearOp, Place x) { return linear(x); }
Parts partsOf(graph::ResizeCubicOp op, Place x) {
  return cubic(op.getCoefficient().convertToDouble(), x);
}
Parts partsOf(graph::ResizeGradientOp op, Place x) {
  if (op.getLinear())
    return linear(x);
  return op.getCubic() ? cubic(op.getCoefficient().convertToDouble(), x)
                       : nearest(op, x);
}

/// Calls `add` with an element of `from`, one of `to` that is made of it, and
/// its weight.
template <typename Op, typename Fn>
void forEachPart(Op op, const Tensor &from, const Tensor &to, const Fn &add) {
  SpaceView x(from, op.getChannelsLast()), y(to, op.getChannelsLast());
  size_t rank = op.getSizes().size();
  y.forEachChannel([&](int64_t n, int64_t c) {
    forEach(y.extent, [&](const Space &p) {
      std::array<Parts, 3> parts = {Parts{{0, 1}}, {{0, 1}}, {{0, 1}}};
      Space counts = {1, 1, 1};
      for (size_t dim = 0; dim < rank; ++dim) {
        parts[dim] =
            partsOf(op, placeOf(op, dim, p[dim], x.extent[dim], y.extent[dim]));
        counts[dim] = static_cast<int64_t>(parts[dim].size());
      }
      forEach(counts, [&](const Space &k) {
        double weight = 1;
        Space place = {0, 0, 0};
        for (size_t dim = 0; dim < 3; ++dim) {
          weight *= parts[dim][k[dim]].weight;
          place[dim] = std::clamp<int64_t>(parts[dim][k[dim]].index, 0,
                                           x.extent[dim] - 1);
        }
        if (weight != 0)
          add(x.at(n, c, place), y.at(n, c, p), weight);
      });
    });
  });
}

template <typename Op> Answer resize(Op op, Operands in, Results out) {
  forEachPart(op, *in[0], out[0], [&](size_t x, size_t y, double weight) {
    out[0].reals[y] += weight * in[0]->reals[x];
  });
  return success();
}

Answer giveBack(graph::ResizeGradientOp op, Operands in, Results out) {
  forEachPart(op, out[0], *in[0], [&](size_t x, size_t y, double weight) {
    out[0].reals[x] += weight * in[0]->reals[y];
  });
  return success();
}

/// Copies element by element between a tensor with more channels and one with
/// more space.
template <typename Op>
Answer shuffle(Op op, const Tensor &deep, const Tensor &wide,
               const Tensor &from, Tensor &to) {
  auto factor = static_cast<int64_t>(op.getFactor());
  SpaceView d(deep, op.getChannelsLast()), w(wide, op.getChannelsLast());
  size_t rank = deep.shape.size() - 2;
  int64_t block = d.sizes[1] / w.sizes[1];
  w.forEachChannel([&](int64_t n, int64_t c) {
    forEach(w.extent, [&](const Space &p) {
      Space place = {0, 0, 0};
      int64_t b = 0;
      for (size_t dim = 0; dim < rank; ++dim) {
        place[dim] = p[dim] / factor;
        b = b * factor + p[dim] % factor;
      }
      int64_t channel =
          op.getBlocksFirst() ? b * w.sizes[1] + c : c * block + b;
      size_t inDeep = d.at(n, channel, place), inWide = w.at(n, c, p);
      size_t source = &from == &deep ? inDeep : inWide,
             target = &from == &deep ? inWide : inDeep;
      if (to.isFloat())
        to.reals[target] = from.reals[source];
      else
        to.ints[target] = from.ints[source];
    });
  });
  return success();
}
} // namespace

Answer reference::evaluateResize(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::ResizeNearestOp, graph::ResizeLinearOp,
            graph::ResizeCubicOp>([&](auto op) { return resize(op, in, out); })
      .Case([&](graph::ResizeGradientOp op) { return giveBack(op, in, out); })
      .Case([&](graph::PixelShuffleOp op) {
        return shuffle(op, *in[0], out[0], *in[0], out[0]);
      })
      .Case([&](graph::PixelUnshuffleOp op) {
        return shuffle(op, out[0], *in[0], *in[0], out[0]);
      })
      .Default([](Operation *) { return std::nullopt; });
}
