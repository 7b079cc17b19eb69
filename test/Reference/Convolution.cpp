// Family Convolution of the reference interpreter: every product that there is,
// once, added where it belongs.
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "Reference/Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <array>

using namespace mpc;
using namespace mpc::reference;

namespace {
using Space = std::array<int64_t, 3>;

/// A tensor by batch (or result), channel and place, whose dims of space are
/// padded to three.
struct View {
  View(const Tensor &tensor, bool channelsLast) {
    size_t rank = tensor.shape.size(), space = rank - 2;
    std::vector<int64_t> strides(rank, 1);
    for (size_t dim = rank - 1; dim-- > 0;)
      strides[dim] = strides[dim + 1] * tensor.shape[dim + 1];
    size_t channel = channelsLast ? rank - 1 : 1, first = channelsLast ? 1 : 2;
    sizes = {tensor.shape[0], tensor.shape[channel]};
    steps = {strides[0], strides[channel]};
    for (size_t dim = 0; dim < space; ++dim) {
      extent[dim] = tensor.shape[first + dim];
      stride[dim] = strides[first + dim];
    }
  }
  size_t at(int64_t outer, int64_t inner, const Space &place) const {
    int64_t index = outer * steps[0] + inner * steps[1];
    for (size_t dim = 0; dim < 3; ++dim)
      index += place[dim] * stride[dim];
    return index;
  }

  std::array<int64_t, 2> sizes, steps;
  Space extent = {1, 1, 1}, stride = {0, 0, 0};
};

template <typename Fn> void forEach(const Space &extent, const Fn &fn) {
  Space place;
  for (place[0] = 0; place[0] < extent[0]; ++place[0])
    for (place[1] = 0; place[1] < extent[1]; ++place[1])
      for (place[2] = 0; place[2] < extent[2]; ++place[2])
        fn(place);
}

/// Calls `add` with an element of each of the three tensors, for each product
/// of the sum that a convolution is.
template <typename Fn>
void forEachProduct(const graph::ConvolutionWindows &windows,
                    const Tensor &input, const Tensor &weight,
                    const Tensor &result, const Fn &add) {
  View x(input, windows.channelsLast), w(weight, windows.channelsLast),
      y(result, windows.channelsLast);
  int64_t resultsOfGroup = y.sizes[1] / windows.groups,
          channelsOfGroup = x.sizes[1] / windows.groups;
  for (int64_t n = 0; n < y.sizes[0]; ++n)
    for (int64_t o = 0; o < y.sizes[1]; ++o)
      for (int64_t c = 0; c < channelsOfGroup; ++c)
        forEach(y.extent, [&](const Space &p) {
          forEach(w.extent, [&](const Space &k) {
            Space from = {0, 0, 0};
            for (size_t dim = 0; dim < windows.rank(); ++dim) {
              from[dim] = p[dim] * windows.strides[dim] +
                          k[dim] * windows.dilations[dim] - windows.low[dim];
              if (from[dim] < 0 || from[dim] >= x.extent[dim])
                return;
            }
            int64_t channel = o / resultsOfGroup * channelsOfGroup + c;
            add(x.at(n, channel, from), w.at(o, c, k), y.at(n, o, p));
          });
        });
}
} // namespace

Answer reference::evaluateConvolution(Operation *op, Operands in, Results out) {
  auto evaluate = [&](auto conv, const Tensor &x, const Tensor &w,
                      const Tensor &y, auto add) -> Answer {
    forEachProduct(conv.getWindows(), x, w, y, add);
    return success();
  };
  std::vector<double> &sums = out[0].reals;
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case([&](graph::ConvolutionOp conv) {
        return evaluate(conv, *in[0], *in[1], out[0],
                        [&](size_t x, size_t w, size_t y) {
                          sums[y] += in[0]->reals[x] * in[1]->reals[w];
                        });
      })
      .Case([&](graph::TransposedConvolutionOp conv) {
        return evaluate(conv, out[0], *in[1], *in[0],
                        [&](size_t x, size_t w, size_t y) {
                          sums[x] += in[0]->reals[y] * in[1]->reals[w];
                        });
      })
      .Case([&](graph::ConvolutionWeightGradientOp conv) {
        return evaluate(conv, *in[0], out[0], *in[1],
                        [&](size_t x, size_t w, size_t y) {
                          sums[w] += in[0]->reals[x] * in[1]->reals[y];
                        });
      })
      .Default([](Operation *) { return std::nullopt; });
}
