// Family Normalization: gradient rules. y is the result, dy its cotangent.
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h"
#include "Rule.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

// dx = y * (dy - sum(dy * y))
LogicalResult SoftmaxOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), y = result(g);
  int64_t dim = getDim();
  g.set(0, y * (dy - sum(dy * y, dim)));
  return success();
}

// dx = dy - exp(y) * sum(dy)
LogicalResult LogSoftmaxOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), y = result(g);
  int64_t dim = getDim();
  g.set(0, dy - exp(y) * sum(dy, dim));
  return success();
}

// With c = x - mean(x), r = 1/sqrt(mean(c^2) + epsilon), n = c * r, dn = dy *
// w:
//   dx = r * (dn - mean(dn) - n * mean(dn * n))
//   dw = dy * n;  db = dy
// The statistics are computed again, so that only x is kept.
LogicalResult LayerNormOp::buildVjp(GradientBuilder &g) {
  unsigned weight = 1, bias = getWeight() ? 2 : 1;
  Expr dy = cotangent(g);
  if (getBias())
    g.set(bias, dy);
  if (!g.needs(0) && !(getWeight() && g.needs(weight)))
    return success();

  Expr x = operand(g, 0);
  SmallVector<int64_t> dims = dimsFrom(getFirstDim(), x.rank());
  Expr c = x - mean(x, dims);
  Expr r = rsqrt(mean(c * c, dims) + getEpsilon().convertToDouble());
  Expr n = c * r;
  if (g.needs(0)) {
    Expr dn = getWeight() ? dy * operand(g, weight) : dy;
    g.set(0, r * (dn - mean(dn, dims) - n * mean(dn * n, dims)));
  }
  if (getWeight() && g.needs(weight))
    g.set(weight, dy * n);
  return success();
}

// With r = 1/sqrt(mean(x^2) + epsilon), n = x * r, dn = dy * w:
//   dx = r * (dn - n * mean(dn * n))
//   dw = dy * n
LogicalResult RmsNormOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), x = operand(g, 0);
  SmallVector<int64_t> dims = dimsFrom(getFirstDim(), x.rank());
  Expr r = rsqrt(mean(x * x, dims) + getEpsilon().convertToDouble());
  Expr n = x * r;
  if (g.needs(0)) {
    Expr dn = getWeight() ? dy * operand(g, 1) : dy;
    g.set(0, r * (dn - n * mean(dn * n, dims)));
  }
  if (getWeight() && g.needs(1))
    g.set(1, dy * n);
  return success();
}

//===-- Of channels -------------------------------------------------------===//

namespace {
/// A normalization of channels: statistics are folds over `set`, which are the
/// elements of a channel, or of a group of channels, in the batch or a sample.
/// They have a number for each channel, [channels] or [batch, channels]; w and
/// b are [channels]. What is as large as x is read in two sweeps: by
/// channel_sums, and for dx, so that nothing normalised is kept.
template <typename Op> class ChannelRule {
public:
  ChannelRule(Op op, GradientBuilder &g, bool perSample, int64_t groups = 0)
      : op(op), g(g), perSample(perSample), groups(groups), x(operand(g, 0)),
        dy(cotangent(g)) {
    RankedTensorType type = x.type();
    channels = countChannels(type, op.getChannelsLast());
    int64_t perChannel = countSpace(type, op.getChannelsLast()) *
                         (perSample ? 1 : type.getDimSize(0));
    count = double(perChannel * (groups ? channels / groups : 1));
  }

  /// With r = 1/sqrt(variance + epsilon), n = (x - mean) * r, dn = dy * w, and
  /// means over the set:
  ///   dx = r * (dn - mean(dn) - n * mean(dn * n))
  ///   dw = sum(dy * n);  db = sum(dy)
  /// `isFixed`: the statistics do not depend on x, and dx = r * dn.
  void build(Expr mean, Expr variance, bool isFixed) {
    r = rsqrt(variance + op.getEpsilon().convertToDouble());
    auto sums = ChannelSumsOp::create(g.builder(), op.getInput(), dy, mean,
                                      perSample, op.getChannelsLast());
    Expr total(g.builder(), sums.getTotal());
    Expr product = Expr(g.builder(), sums.getProduct()) * r;
    unsigned next = 1;
    Expr weight;
    if (op.getWeight()) {
      weight = operand(g, next);
      setOfChannel(next++, product);
    }
    if (op.getBias())
      setOfChannel(next, total);
    if (!g.needs(0))
      return;
    // Of weight and bias each rank has its share; of the input all ranks'
    // samples have one.
    if (isSynchronized) {
      SmallVector<Expr> sums = sumsOverRanks({total, product});
      Expr ranks = countRanks(g.builder(), total.elementType());
      total = sums[0] / ranks;
      product = sums[1] / ranks;
    }
    g.set(0, isFixed ? dy * along(scaled(r, weight))
                     : inputGradient(mean, weight, total, product));
  }

  /// Where a weight is one number for a set, it is a factor of dx. Then nothing
  /// of dx is known before the sums are: cotangents wait for them as they are,
  /// in 16 bits, and not times a factor in f32.
  Expr inputGradient(Expr mean, Expr weight, Expr total, Expr product) {
    if (!groups)
      return (dy - along(total / count) -
              (x - along(mean)) * along(r * product / count)) *
             along(scaled(r, weight));
    Expr ofProduct = r * r * overSet(scaled(product, weight)) / count;
    Expr ofTotal = r * overSet(scaled(total, weight)) / count;
    return dy * along(scaled(r, weight)) -
           (x - along(mean)) * along(ofProduct) - along(ofTotal);
  }

  static Expr scaled(Expr y, Expr weight) { return weight ? y * weight : y; }

  /// `y`, a number for each channel, summed over those of its group.
  Expr overSet(Expr y) {
    if (!groups)
      return y;
    SmallVector<int64_t> shape(y.shape()), apart(shape);
    apart.back() = groups;
    apart.push_back(channels / groups);
    Expr parts = reshape(y, apart);
    return reshape(broadcast(sum(parts, {parts.rank() - 1}), apart), shape);
  }

  int64_t groupSize() const { return groups ? channels / groups : 1; }

  /// Whether the batch is that of all ranks.
  bool isSynchronized = false;

private:
  /// A number for each channel, of shape [channels].
  void setOfChannel(unsigned index, Expr y) {
    if (g.needs(index))
      g.set(index, perSample ? reshape(sum(y, {0}), {channels}) : y);
  }
  /// `y` so that it broadcasts against x.
  Expr along(Expr y) {
    SmallVector<int64_t> shape(x.rank(), 1);
    shape[channelDimOf(x.rank(), op.getChannelsLast())] = channels;
    if (y.rank() == 2)
      shape.front() = y.shape().front();
    return reshape(y, shape);
  }

  Op op;
  GradientBuilder &g;
  bool perSample;
  int64_t groups, channels;
  double count; ///< Elements of a set.
  Expr x, dy, r;
};

/// The statistics are computed again, so that only x is kept: the forward's,
/// once both are written with other ops and equal.
template <typename Op>
std::pair<Expr, Expr> momentsOf(Op op, GradientBuilder &g, bool perSample,
                                bool isSynchronized = false) {
  auto moments = ChannelMomentsOp::create(g.builder(), op.getInput(), perSample,
                                          isSynchronized, op.getChannelsLast());
  return {{g.builder(), moments.getMean()},
          {g.builder(), moments.getVariance()}};
}
} // namespace

// The variance of a group is the mean of its channels' variances and of the
// squares of their means' differences from its mean.
LogicalResult GroupNormOp::buildVjp(GradientBuilder &g) {
  ChannelRule<GroupNormOp> rule(*this, g, /*perSample=*/true,
                                static_cast<int64_t>(getGroups()));
  auto [means, variances] = momentsOf(*this, g, /*perSample=*/true);
  auto size = static_cast<double>(rule.groupSize());
  Expr mean = rule.overSet(means) / size, apart = means - mean;
  Expr variance = rule.overSet(variances + apart * apart) / size;
  rule.build(mean, variance, /*isFixed=*/false);
  return success();
}

LogicalResult InstanceNormOp::buildVjp(GradientBuilder &g) {
  auto [mean, variance] = momentsOf(*this, g, /*perSample=*/true);
  ChannelRule<InstanceNormOp>(*this, g, /*perSample=*/true)
      .build(mean, variance, /*isFixed=*/false);
  return success();
}

LogicalResult BatchNormOp::buildVjp(GradientBuilder &g) {
  ChannelRule<BatchNormOp> rule(*this, g, /*perSample=*/false);
  if (usesBatch()) {
    rule.isSynchronized = getSynchronized();
    auto [mean, variance] =
        momentsOf(*this, g, /*perSample=*/false, getSynchronized());
    rule.build(mean, variance, /*isFixed=*/false);
    return success();
  }
  for (mlir::OpOperand &running : (*this)->getOpOperands())
    if ((running.get() == getRunningMean() ||
         running.get() == getRunningVariance()) &&
        g.needs(running.getOperandNumber()))
      return emitOpError("has no gradient for running statistics, but operand ")
             << running.getOperandNumber() << " depends on a parameter";
  rule.build({g.builder(), getRunningMean()},
             {g.builder(), getRunningVariance()},
             /*isFixed=*/true);
  return success();
}
