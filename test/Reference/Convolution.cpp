// Family Convolution of the reference interpreter: every product that there is,
// once, added where it belongs.
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "Reference/Families.h"
#include "Reference/SpaceView.h"
#include "Reference/WindowWords.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mpc;
using namespace mpc::reference;

namespace {
/// Calls `add` with an element of each of the three tensors, for each product
/// of the sum that a convolution is.
template <typename Op, typename Fn>
void forEachProduct(Op op, const Tensor &input, const Tensor &weight,
                    const Tensor &result, const Fn &add) {
  bool isLast = op.getChannelsLast();
  SpaceView x(input, isLast), w(weight, isLast), y(result, isLast);
  size_t rank = input.shape.size() - 2;
  WindowWords words(op, rank);
  Space low = {0, 0, 0};
  for (size_t dim = 0; dim < rank; ++dim)
    low[dim] =
        words.findBeside(dim, w.extent[dim], x.extent[dim], y.extent[dim])
            .first;
  auto groups = static_cast<int64_t>(op.getGroups().value_or(1));
  int64_t resultsOfGroup = y.sizes[1] / groups,
          channelsOfGroup = x.sizes[1] / groups;
  for (int64_t n = 0; n < y.sizes[0]; ++n)
    for (int64_t o = 0; o < y.sizes[1]; ++o)
      for (int64_t c = 0; c < channelsOfGroup; ++c)
        forEach(y.extent, [&](const Space &p) {
          forEach(w.extent, [&](const Space &k) {
            Space from = {0, 0, 0};
            for (size_t dim = 0; dim < rank; ++dim) {
              from[dim] = p[dim] * words.strides[dim] +
                          k[dim] * words.dilations[dim] - low[dim];
              if (from[dim] < 0 || from[dim] >= x.extent[dim])
                return;
            }
            int64_t channel = o / resultsOfGroup * channelsOfGroup + c;
            add(x.at(n, channel, from), w.at(o, c, k), y.at(n, o, p));
          });
        });
}
} // namespace

/// A number for each channel, to all of it.
static void addBias(const Tensor &bias, bool channelsLast, Tensor &result) {
  SpaceView y(result, channelsLast);
  for (int64_t n = 0; n < y.sizes[0]; ++n)
    for (int64_t o = 0; o < y.sizes[1]; ++o)
      forEach(y.extent, [&](const Space &p) {
        result.reals[y.at(n, o, p)] += bias.reals[o];
      });
}

Answer reference::evaluateConvolution(Operation *op, Operands in, Results out) {
  auto evaluate = [&](auto conv, const Tensor &x, const Tensor &w,
                      const Tensor &y, auto add) -> Answer {
    forEachProduct(conv, x, w, y, add);
    if (in.size() == 3)
      addBias(*in[2], conv.getChannelsLast(), out[0]);
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
