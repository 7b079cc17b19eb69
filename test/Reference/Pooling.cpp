// Family Pooling of the reference interpreter: windows, place by place.
#include "mpc/Dialect/Graph/IR/Ops/Space/Pooling.h"
#include "Reference/Families.h"
#include "Reference/SpaceView.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::reference;

namespace {
using Dims = ArrayRef<graph::PoolingDim>;

/// Calls `visit` with each place of `window` that is an element of the input,
/// in row-major order.
template <typename Fn>
void forEachElement(Dims dims, const Space &window, const Fn &visit) {
  Space kernel = {1, 1, 1};
  for (size_t dim = 0; dim < dims.size(); ++dim)
    kernel[dim] = dims[dim].getLength(window[dim]);
  forEach(kernel, [&](const Space &k) {
    Space place = {0, 0, 0};
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      place[dim] = dims[dim].getPlace(window[dim], k[dim]);
      if (place[dim] < 0 || place[dim] >= dims[dim].size)
        return;
    }
    visit(place);
  });
}

int64_t numberOf(Dims dims, const Space &place) {
  int64_t number = 0;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    number = number * dims[dim].size + place[dim];
  return number;
}

Space placeOf(Dims dims, int64_t number) {
  Space place = {0, 0, 0};
  for (size_t dim = dims.size(); dim-- > 0;) {
    place[dim] = number % dims[dim].size;
    number /= dims[dim].size;
  }
  return place;
}

template <typename Op> Answer findLargest(Op op, Operands in, Results out) {
  graph::PoolingWindows windows = op.getWindows();
  SpaceView x(*in[0], windows.channelsLast), y(out[0], windows.channelsLast);
  y.forEachChannel([&](int64_t n, int64_t c) {
    forEach(y.extent, [&](const Space &p) {
      double best = -std::numeric_limits<double>::infinity();
      int64_t index = -1;
      forEachElement(windows.dims, p, [&](const Space &place) {
        double value = in[0]->reals[x.at(n, c, place)];
        bool isMore = value > best || (std::isnan(value) && !std::isnan(best));
        if (index < 0 || isMore) {
          best = value;
          index = numberOf(windows.dims, place);
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
  graph::PoolingWindows windows = op.getWindows();
  SpaceView x(*in[0], windows.channelsLast), y(out[0], windows.channelsLast);
  y.forEachChannel([&](int64_t n, int64_t c) {
    forEach(y.extent, [&](const Space &p) {
      double total = 0;
      int64_t count = 0, places = 1;
      forEachElement(windows.dims, p, [&](const Space &place) {
        total += in[0]->reals[x.at(n, c, place)];
        ++count;
      });
      // Those up to the end of the padding.
      for (size_t dim = 0; dim < windows.dims.size(); ++dim) {
        const graph::PoolingDim &own = windows.dims[dim];
        int64_t along = 0;
        for (int64_t k = 0; k < own.getLength(p[dim]); ++k)
          along += own.getPlace(p[dim], k) < own.size + own.high;
        places *= along;
      }
      out[0].reals[y.at(n, c, p)] =
          total / static_cast<double>(withPadding ? places : count);
    });
  });
  return success();
}

Answer giveBack(graph::MaxPoolGradientOp op, Operands in, Results out) {
  graph::PoolingWindows windows = op.getWindows();
  SpaceView dy(*in[0], windows.channelsLast), dx(out[0], windows.channelsLast);
  dy.forEachChannel([&](int64_t n, int64_t c) {
    forEach(dy.extent, [&](const Space &p) {
      size_t from = dy.at(n, c, p);
      Space place = placeOf(windows.dims, in[1]->ints[from]);
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
