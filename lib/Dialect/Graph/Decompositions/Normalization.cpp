// Family Normalization: formulas.
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h"
#include "Decomposition.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

namespace {

/// x - max(x), in the compute type of input or result, the wider one.
Expr shiftByMax(Decomposition &d, Value input, Type resultElement,
                int64_t dim) {
  Expr x = d.wide(input, resultElement);
  return x - max(x, {dim});
}
/// The mean of each row of `dims`. Divided, not multiplied by 1 / n: that is
/// rounded, and the mean of a row of equal numbers would not be that number.
Expr meanOf(Expr x, ArrayRef<int64_t> dims) {
  return sum(x, dims) / double(countReduced(x.shape(), dims));
}
} // namespace

/// exp(x - max) * (1 / sum exp(x - max)). One division per row: an exact one
/// per element costs as much as the exponential, for half an ulp of f32.
SmallVector<Value> SoftmaxOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type element = elementOf(getResult());
  int64_t dim = getDim();
  Expr powers = exp(shiftByMax(d, getInput(), element, dim));
  Expr total = sum(powers, {dim});
  return {d.castTo(powers * (1.0 / total), element)};
}

/// (x - max) - log(sum exp(x - max))
SmallVector<Value>
LogSoftmaxOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type element = elementOf(getResult());
  int64_t dim = getDim();
  Expr shifted = shiftByMax(d, getInput(), element, dim);
  Expr logSum = log(sum(exp(shifted), {dim}));
  return {d.castTo(shifted - logSum, element)};
}

/// (x - mean) * rsqrt(mean((x - mean)^2) + epsilon) * weight + bias.
/// Two passes: the one-pass formula mean(x^2) - mean^2 cancels.
SmallVector<Value> LayerNormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d.wide(getInput());
  auto dims = dimsFrom(getFirstDim(), x.rank());

  Expr centered = x - meanOf(x, dims);
  Expr variance = meanOf(centered * centered, dims);
  Expr y = centered * rsqrt(variance + getEpsilon().convertToDouble());
  if (Value weight = getWeight())
    y = y * d.castTo(weight, x.elementType());
  if (Value bias = getBias())
    y = y + d.castTo(bias, x.elementType());
  return {d.castTo(y, elementOf(getResult()))};
}

/// x * rsqrt(mean(x^2) + epsilon) * weight
SmallVector<Value> RmsNormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d.wide(getInput());
  SmallVector<int64_t> dims = dimsFrom(getFirstDim(), x.rank());
  Expr square = meanOf(x * x, dims);
  Expr y = x * rsqrt(square + getEpsilon().convertToDouble());
  if (Value weight = getWeight())
    y = y * d.castTo(weight, x.elementType());
  return {d.castTo(y, elementOf(getResult()))};
}

//===-- Of channels -------------------------------------------------------===//

namespace {
/// Folds over the elements of a channel, first over parts that stay in a cache,
/// so that what is folded about their means is read once, then over parts. A
/// part is made of dims as they are, where that makes parts of a good size:
/// what the input is computed from then runs along the same dims.
class ChannelFold {
public:
  ChannelFold(RankedTensorType input, bool perSample, bool channelsLast)
      : shape(input.getShape()), results(perSample ? 2 : 1) {
    channel = channelDimOf(input.getRank(), channelsLast);
    splitLongDim(input.getRank(), perSample);
    int64_t rank = static_cast<int64_t>(shape.size());
    int64_t most = channel == rank - 1 ? kMostRows : kLongestRow;
    for (int64_t dim = rank - 1; dim >= (perSample ? 1 : 0); --dim) {
      if (dim == channel)
        continue;
      bool isPart =
          outer.empty() && (inner.empty() || perPart * shape[dim] <= most);
      (isPart ? inner : outer).push_back(dim);
      perPart *= isPart ? shape[dim] : 1;
      count *= shape[dim];
    }
    llvm::sort(inner);
    llvm::sort(outer);
    resultShape = {shape[channel]};
    if (perSample)
      resultShape.insert(resultShape.begin(), shape.front());
  }

  Expr view(Expr x) const { return reshape(x, shape); }
  Expr sumOfParts(Expr x) const { return sum(x, inner); }
  Expr sumOverParts(Expr x) const { return outer.empty() ? x : sum(x, outer); }
  Expr asResult(Expr x) const { return reshape(x, resultShape); }
  /// A number for each channel, to meet what `view` has.
  Expr along(Expr y) const {
    SmallVector<int64_t> sizes(shape.size(), 1);
    sizes[channel] = shape[channel];
    if (results == 2)
      sizes.front() = shape.front();
    return reshape(y, sizes);
  }
  bool hasParts() const { return count != perPart; }

  int64_t perPart = 1, count = 1;

private:
  // Rows of 64 columns, which are a work item: 64 KiB of f32. And what a row
  // has of one channel: the same.
  static constexpr int64_t kMostRows = 256, kLeastRows = 32,
                           kLongestRow = 16384;

  /// The last dim of space, or the batch where there is none, that is longer
  /// than a part becomes two.
  void splitLongDim(int64_t rank, bool perSample) {
    int64_t last = channel == rank - 1 ? rank - 2 : rank - 1;
    if (perSample && last == 0)
      return;
    int64_t most = channel == rank - 1 ? kMostRows : kLongestRow;
    if (shape[last] <= 4 * most)
      return;
    for (int64_t rows = most; rows >= kLeastRows; --rows)
      if (shape[last] % rows == 0) {
        shape[last] /= rows;
        shape.insert(shape.begin() + last + 1, rows);
        channel += channel > last;
        return;
      }
  }

  SmallVector<int64_t> shape, inner, outer, resultShape;
  int64_t channel;
  size_t results; ///< Rank of the results.
};

/// Of `x`, widened: the mean of each part and its squares about that; then the
/// squares about the mean of all are those and the parts' own (Chan et al.).
std::pair<Expr, Expr> foldMoments(Expr x, bool perSample, bool channelsLast) {
  ChannelFold fold(x.type(), perSample, channelsLast);
  Expr parts = fold.view(x);
  Expr means = fold.sumOfParts(parts) / double(fold.perPart);
  Expr centered = parts - means;
  Expr squares = fold.sumOfParts(centered * centered);
  if (!fold.hasParts())
    return {fold.asResult(means), fold.asResult(squares / double(fold.count))};
  double number = double(fold.count / fold.perPart);
  Expr mean = fold.sumOverParts(means) / number;
  Expr apart = means - mean;
  Expr variance = (fold.sumOverParts(squares) +
                   double(fold.perPart) * fold.sumOverParts(apart * apart)) /
                  double(fold.count);
  return {fold.asResult(mean), fold.asResult(variance)};
}

/// Of all ranks from each rank's, the squares about the mean of all: nothing
/// cancels, for one message more than sums of squares would take.
std::pair<Expr, Expr> momentsOverRanks(Expr mean, Expr variance) {
  Expr ranks = countRanks(mean.builder(), mean.elementType());
  Expr ofAll = sumsOverRanks({mean}).front() / ranks, apart = mean - ofAll;
  return {ofAll, sumsOverRanks({variance + apart * apart}).front() / ranks};
}

/// The formula of all normalizations of channels, given a number for each.
template <typename Op>
Value normalizeChannels(Decomposition &d, Op op, Expr x, Expr mean,
                        Expr variance) {
  RankedTensorType type = x.type();
  auto along = [&](Expr y) {
    SmallVector<int64_t> shape(type.getRank(), 1);
    shape[channelDimOf(type.getRank(), op.getChannelsLast())] =
        y.shape().back();
    if (y.rank() == 2)
      shape.front() = y.shape().front();
    return reshape(y, shape);
  };
  Expr scale = rsqrt(variance + op.getEpsilon().convertToDouble());
  if (Value weight = op.getWeight())
    scale = scale * d.castTo(weight, x.elementType());
  Expr y = (x - along(mean)) * along(scale);
  if (Value bias = op.getBias())
    y = y + along(d.castTo(bias, x.elementType()));
  return d.castTo(y, elementOf(op.getResult()));
}
} // namespace

SmallVector<Value>
ChannelMomentsOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  auto [mean, variance] =
      foldMoments(d.wide(getInput()), getPerSample(), getChannelsLast());
  if (getSynchronized())
    std::tie(mean, variance) = momentsOverRanks(mean, variance);
  return {mean, variance};
}

SmallVector<Value>
ChannelSumsOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  ChannelFold fold(getInput().getType(), getPerSample(), getChannelsLast());
  Expr x = fold.view(d.wide(getInput())),
       dy = fold.view(d.wide(getCotangent()));
  auto total = [&](Expr y) {
    return fold.asResult(fold.sumOverParts(fold.sumOfParts(y)));
  };
  return {total(dy), total(dy * (x - fold.along(d(getMean()))))};
}

SmallVector<Value>
MovingAverageOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  double momentum = getMomentum().convertToDouble();
  return {d(getRunning()) * (1 - momentum) + d(getStatistic()) * momentum};
}

/// Those of a group of channels from those of its channels.
SmallVector<Value> GroupNormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d.wide(getInput());
  auto [means, variances] =
      foldMoments(x, /*perSample=*/true, getChannelsLast());
  SmallVector<int64_t> shape(means.shape());
  auto groups = static_cast<int64_t>(getGroups());
  SmallVector<int64_t> apart = {shape[0], groups, shape[1] / groups};
  auto meanOfGroup = [&](Expr y) {
    Expr mean = meanOf(reshape(y, apart), {2});
    return reshape(broadcast(mean, apart), shape);
  };
  Expr mean = meanOfGroup(means), difference = means - mean;
  Expr variance = meanOfGroup(variances + difference * difference);
  return {normalizeChannels(d, *this, x, mean, variance)};
}

SmallVector<Value>
InstanceNormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d.wide(getInput());
  auto [mean, variance] = foldMoments(x, /*perSample=*/true, getChannelsLast());
  return {normalizeChannels(d, *this, x, mean, variance)};
}

SmallVector<Value> BatchNormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d.wide(getInput());
  if (!usesBatch())
    return {normalizeChannels(d, *this, x, d(getRunningMean()),
                              d(getRunningVariance()))};
  auto [mean, variance] =
      foldMoments(x, /*perSample=*/false, getChannelsLast());
  if (getSynchronized())
    std::tie(mean, variance) = momentsOverRanks(mean, variance);
  return {normalizeChannels(d, *this, x, mean, variance)};
}
