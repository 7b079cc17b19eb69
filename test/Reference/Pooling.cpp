// Family Pooling of the reference interpreter: windows, place by place, from
// what the op says.
#include "mpc/Dialect/Graph/IR/Ops/Space/Pooling.h"
#include "Reference/Families.h"
#include "Reference/SpaceView.h"
#include "Reference/WindowWords.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::reference;

namespace {
/// Of each window along a dim of space, its places in order. What is below 0 or
/// not below the input's size lies beside it.
using Windows = std::vector<std::vector<int64_t>>;
using AllWindows = std::array<Windows, 3>;

/// The places from -low to size + high that a window of `kernel` meets.
Windows slide(const WindowWords &words, size_t dim, int64_t kernel,
              int64_t size, int64_t count) {
  auto [low, high] = words.findBeside(dim, kernel, size, count);
  int64_t stride = words.strides[dim], dilation = words.dilations[dim];
  Windows windows(count);
  for (int64_t window = 0; window < count; ++window)
    for (int64_t place = -low; place < size + high; ++place) {
      int64_t behind = place + low - window * stride;
      if (behind >= 0 && behind % dilation == 0 && behind / dilation < kernel)
        windows[window].push_back(place);
    }
  return windows;
}

/// The elements that have a part of the window's share of the input, which is
/// what lies between window * size / count and (window + 1) * size / count.
Windows divide(int64_t size, int64_t count) {
  Windows windows(count);
  for (int64_t window = 0; window < count; ++window)
    for (int64_t place = 0; place < size; ++place)
      if ((place + 1) * count > window * size &&
          place * count < (window + 1) * size)
        windows[window].push_back(place);
  return windows;
}

template <typename Op>
AllWindows findWindows(Op op, const SpaceView &x, const SpaceView &y) {
  AllWindows windows = {Windows{{0}}, {{0}}, {{0}}};
  size_t rank = op.getInput().getType().getRank() - 2;
  auto kernel = op->template getAttrOfType<mlir::DenseI64ArrayAttr>("kernel");
  WindowWords words(op, rank);
  for (size_t dim = 0; dim < rank; ++dim)
    windows[dim] =
        kernel ? slide(words, dim, kernel[dim], x.extent[dim], y.extent[dim])
               : divide(x.extent[dim], y.extent[dim]);
  return windows;
}

/// Calls `visit` with each place of the window at `p`, in row-major order.
template <typename Fn>
void forEachPlace(const AllWindows &windows, const Space &p, const Fn &visit) {
  for (int64_t first : windows[0][p[0]])
    for (int64_t second : windows[1][p[1]])
      for (int64_t third : windows[2][p[2]])
        visit(Space{first, second, third});
}

bool isInside(const SpaceView &x, const Space &place) {
  for (size_t dim = 0; dim < 3; ++dim)
    if (place[dim] < 0 || place[dim] >= x.extent[dim])
      return false;
  return true;
}

template <typename Op> Answer findLargest(Op op, Operands in, Results out) {
  SpaceView x(*in[0], op.getChannelsLast()), y(out[0], op.getChannelsLast());
  AllWindows windows = findWindows(op, x, y);
  y.forEachChannel([&](int64_t n, int64_t c) {
    forEach(y.extent, [&](const Space &p) {
      double best = -std::numeric_limits<double>::infinity();
      int64_t index = -1;
      forEachPlace(windows, p, [&](const Space &place) {
        if (!isInside(x, place))
          return;
        double value = in[0]->reals[x.at(n, c, place)];
        bool isMore = value > best || (std::isnan(value) && !std::isnan(best));
        if (index < 0 || isMore) {
          best = value;
          index = (place[0] * x.extent[1] + place[1]) * x.extent[2] + place[2];
        }
      });
      out[0].reals[y.at(n, c, p)] = best;
      out[1].ints[y.at(n, c, p)] = index;
    });
  });
  return success();
}

template <typename Op>
Answer average(Op op, bool withPadding, Operands in, Results out) {
  SpaceView x(*in[0], op.getChannelsLast()), y(out[0], op.getChannelsLast());
  AllWindows windows = findWindows(op, x, y);
  y.forEachChannel([&](int64_t n, int64_t c) {
    forEach(y.extent, [&](const Space &p) {
      double total = 0, count = 0;
      forEachPlace(windows, p, [&](const Space &place) {
        if (isInside(x, place))
          total += in[0]->reals[x.at(n, c, place)];
        if (withPadding || isInside(x, place))
          ++count;
      });
      out[0].reals[y.at(n, c, p)] = total / count;
    });
  });
  return success();
}

Answer giveBack(graph::MaxPoolGradientOp op, Operands in, Results out) {
  SpaceView dy(*in[0], op.getChannelsLast()), dx(out[0], op.getChannelsLast());
  dy.forEachChannel([&](int64_t n, int64_t c) {
    forEach(dy.extent, [&](const Space &p) {
      size_t from = dy.at(n, c, p);
      int64_t index = in[1]->ints[from], row = dx.extent[2],
              plane = dx.extent[1] * row;
      Space place = {index / plane, index % plane / row, index % row};
      out[0].reals[dx.at(n, c, place)] += in[0]->reals[from];
    });
  });
  return success();
}
} // namespace

Answer reference::evaluatePooling(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::MaxPoolOp, graph::AdaptiveMaxPoolOp>(
          [&](auto pool) { return findLargest(pool, in, out); })
      .Case([&](graph::AveragePoolOp pool) {
        return average(pool, pool.getCountPadding(), in, out);
      })
      .Case([&](graph::AdaptiveAveragePoolOp pool) {
        return average(pool, /*withPadding=*/false, in, out);
      })
      .Case([&](graph::MaxPoolGradientOp pool) {
        return giveBack(pool, in, out);
      })
      .Default([](Operation *) { return std::nullopt; });
}
