// Numbers made comparable: their mean and variance, or their length, is known.
#include "../Importer.h"
#include "../Tables.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::onnx;
namespace expr = mpc::graph::expr;

//===-- Batch norm -------------------------------------------------------===//

namespace {
/// What the attributes of a batch norm say.
struct BatchNorm {
  double epsilon, momentum;
  bool trains, isTrainedHere;
};
} // namespace

/// A number for each channel against [batch, channels, space...].
static Expr perChannel(Node &n, Expr x, Expr numbers) {
  if (!numbers)
    return {};
  Shape shape(x.rank(), 1);
  if (x.rank() > 1)
    shape[1] = numbers.numElements();
  return n.reshape(n.cast(numbers, x.elementType()), shape);
}

/// (x - mean) / sqrt(variance + epsilon) * scale + bias
static Expr normalize(Node &n, Expr x, Expr mean, Expr variance,
                      double epsilon) {
  Expr centered = n.op("sub", {x, perChannel(n, x, mean)});
  Expr spread = perChannel(n, x, variance);
  if (!centered || !spread)
    return {};
  Expr unit = n.op("mul", {centered, expr::rsqrt(spread + epsilon)});
  unit = n.op("mul", {unit, perChannel(n, x, n.value(1))});
  return n.op("add", {unit, perChannel(n, x, n.value(2))});
}

/// Statistics that are values of the model: no state keeps them.
static LogicalResult convertStateless(Node &n, const BatchNorm &norm) {
  Expr x = n.floating(0), mean = n.floating(3), variance = n.floating(4);
  if (!x || !mean || !variance)
    return failure();
  if (!norm.trains)
    return n.set(0, normalize(n, x, mean, variance, norm.epsilon));
  if (x.rank() == 0)
    return n.refuse("expected dims of a batch and of channels");
  Shape dims = expr::dimsFrom(0, x.rank());
  dims.erase(dims.begin() + (x.rank() > 1 ? 1 : 0));
  Expr batchMean = n.reduce("mean", x, dims, false);
  Expr batchVariance = n.op(
      "var", {x}, {{"dims", n.ints(dims)}, {"correction", n.integerAttr(0)}});
  if (batchMean && (mean.shape() != batchMean.shape() ||
                    variance.shape() != batchMean.shape()))
    return n.refuse("expected a mean and a variance of each channel");
  if (!batchMean || !batchVariance ||
      failed(n.set(0, normalize(n, x, batchMean, batchVariance, norm.epsilon))))
    return failure();
  if (n.wants(1) &&
      failed(n.set(1, mean * norm.momentum + batchMean * (1 - norm.momentum))))
    return failure();
  return n.wants(2) ? n.set(2, variance * norm.momentum +
                                   batchVariance * (1 - norm.momentum))
                    : success();
}

static bool isStatistic(Node &n, size_t i) {
  return n.has(i) && n.entry(i).tensor && !n.entry(i).isInner &&
         isFloatType(n.dataType(i));
}

/// The word for a variance by n instead of n - 1.
static Attribute populationWord(Node &n) {
  const Options &options = n.importer.getOptions();
  bool isUnbiased = options.batchNormVariance.empty()
                        ? n.importer.isFromTorch()
                        : options.batchNormVariance == "unbiased";
  return isUnbiased ? Attribute() : n.unit();
}

static LogicalResult convertBatchNorm(Node &n) {
  n.importer.noteBatchNorm();
  if (n.integer("spatial", 1) != 1)
    return n.refuse("expected statistics of channels");
  BatchNorm norm;
  norm.epsilon = n.real("epsilon", 1e-5);
  norm.momentum = n.real("momentum", 0.9);
  norm.isTrainedHere = n.importer.getOptions().trainBatchNorm;
  norm.trains =
      n.opset < 14 ? n.numOutputs() > 1 : n.integer("training_mode", 0) != 0;
  if (!norm.trains && !norm.isTrainedHere)
    n.note("batch norm that keeps its mean and variance, as after training; "
           "PyTorch's exporter writes those of models in training so, too: "
           "--train-batch-norm trains them");
  norm.trains |= norm.isTrainedHere;
  if (!isStatistic(n, 3) || !isStatistic(n, 4))
    return convertStateless(n, norm);
  for (size_t i = 1; i < n.numOutputs(); ++i)
    if (n.wants(i) && n.importer.isUsed(n.proto.output(i)))
      n.refuseReaders(i, "its running statistics are states of the program, "
                         "and no values that a model may read");
  std::string error;
  Expr x = n.floating(0), scale = n.floating(1), bias = n.floating(2);
  Value mean = n.importer.statisticOf(*n.entry(3).tensor, error);
  Value variance =
      mean ? n.importer.statisticOf(*n.entry(4).tensor, error) : Value();
  if (!x || !scale || !bias)
    return failure();
  // Where nothing is trained, a tensor may be several things.
  if (!variance && !norm.trains && n.importer.getOptions().loss.empty())
    return convertStateless(n, norm);
  if (!variance)
    return n.refuse(error);
  if (norm.trains && (n.importer.isOfOthers(*n.entry(3).tensor, scale) ||
                      n.importer.isOfOthers(*n.entry(4).tensor, scale)))
    n.note("batch norm that has the running mean or variance of another one "
           "with another scale, as exporters merge equal initializers: each of "
           "them updates it; export with torch.onnx.export(..., "
           "training=TRAINING, do_constant_folding=False), or dynamo=True, "
           "optimize=False");
  return n.set(0, n.op("batch_norm", {x, scale, bias, mean, variance},
                       {{"momentum", n.realAttr(float(1 - norm.momentum))},
                        {"epsilon", n.realAttr(norm.epsilon)},
                        {"population", populationWord(n)},
                        {"inference", norm.trains ? Attribute() : n.unit()}}));
}

//===-- Rows -------------------------------------------------------------===//

/// `x`, normalised, times operand 1 and plus operand 2, which broadcast.
static Expr scaleAndShift(Node &n, Expr x) {
  if (n.has(1))
    x = n.op("mul", {x, n.cast(n.value(1), x ? x.elementType() : Type())});
  if (n.has(2))
    x = n.op("add", {x, n.cast(n.value(2), x ? x.elementType() : Type())});
  return x;
}

static bool isRow(Node &n, size_t i, ArrayRef<int64_t> row) {
  return !n.has(i) || n.shape(i) == Shape(row);
}

/// Mean and 1 / deviation of rows, results that few ask for: float32 by the
/// standard, whatever x is.
static LogicalResult setRowStatistics(Node &n, Expr x, int64_t axis,
                                      double epsilon) {
  Shape dims = expr::dimsFrom(axis, x.rank());
  if (!n.wants(1) && !n.wants(2))
    return success();
  Type f32 = n.builder.getF32Type();
  if (!x.elementType().isF64())
    x = n.cast(x, f32);
  if (n.wants(1) &&
      failed(n.set(1, n.cast(n.reduce("mean", x, dims, true), f32))))
    return failure();
  if (!n.wants(2))
    return success();
  Expr variance = n.op("var", {x},
                       {{"dims", n.ints(dims)},
                        {"keep_dims", n.unit()},
                        {"correction", n.integerAttr(0)}});
  if (!variance)
    return failure();
  return n.set(2, n.cast(expr::rsqrt(variance + epsilon), f32));
}

static LogicalResult convertLayerNorm(Node &n) {
  bool isRms = n.proto.op_type() == "RMSNormalization";
  double epsilon = n.real("epsilon", 1e-5);
  if (n.integer("stash_type", 1) != 1)
    return n.refuse("expected stash_type 1: statistics are float32");
  Expr x = n.floating(0);
  FailureOr<int64_t> axis = n.axis("axis", -1, n.rank(0));
  if (!x || failed(axis))
    return failure();
  ArrayRef<int64_t> row = x.shape().drop_front(*axis);
  bool areRows = isRow(n, 1, row) && isRow(n, 2, row);
  Expr weight = areRows && n.has(1) ? n.floating(1) : Expr();
  Expr bias = areRows && n.has(2) ? n.floating(2) : Expr();
  SmallVector<Value> operands = {x};
  if (!isRms || weight)
    operands.push_back(weight);
  if (!isRms)
    operands.push_back(bias);
  Expr y = n.op(
      isRms ? "rms_norm" : "layer_norm", operands,
      {{"first_dim", n.integerAttr(*axis)}, {"epsilon", n.realAttr(epsilon)}});
  if (failed(n.set(0, areRows ? y : scaleAndShift(n, y))))
    return failure();
  return setRowStatistics(n, x, *axis, epsilon);
}

//===-- Channels of samples ----------------------------------------------===//

static LogicalResult convertInstanceNorm(Node &n) {
  return n.set(0, n.op("instance_norm",
                       {n.floating(0), n.floating(1), n.floating(2)},
                       {{"epsilon", n.realAttr(n.real("epsilon", 1e-5))}}));
}

/// Until opset 20 scale and bias have a number for each group.
static LogicalResult convertGroupNorm(Node &n) {
  double epsilon = n.real("epsilon", 1e-5);
  int64_t groups = n.integer("num_groups", 0);
  if (n.integer("stash_type", 1) != 1)
    return n.refuse("expected stash_type 1: statistics are float32");
  Expr x = n.floating(0), scale = n.floating(1), bias = n.floating(2);
  if (!x || !scale || !bias)
    return failure();
  int64_t channels = x.rank() > 1 ? x.shape()[1] : 0;
  auto each = [&](Expr numbers) {
    if (n.opset >= 21 || numbers.numElements() == channels || groups < 1)
      return numbers;
    Expr column = n.reshape(numbers, {groups, 1});
    return n.reshape(n.broadcast(column, {groups, channels / groups}),
                     {channels});
  };
  if (groups < 1 || channels % groups)
    return n.refuse("expected groups that divide the channels");
  return n.set(0, n.op("group_norm", {x, each(scale), each(bias)},
                       {{"groups", n.integerAttr(groups)},
                        {"epsilon", n.realAttr(epsilon)}}));
}

//===-- Lengths ----------------------------------------------------------===//

static LogicalResult convertLpNorm(Node &n) {
  int64_t p = n.integer("p", 2);
  Expr x = n.floating(0);
  FailureOr<int64_t> axis = n.axis("axis", -1, n.rank(0));
  if (!x || failed(axis))
    return failure();
  Expr length = n.op("norm", {x},
                     {{"dims", n.ints({*axis})},
                      {"keep_dims", n.unit()},
                      {"p", n.realAttr(double(p))}});
  if (!length)
    return failure();
  Expr divisor = n.select(expr::equal(length, 0.0), length.constant(1), length);
  return n.set(0, n.op("div", {x, divisor}));
}

/// x / (bias + alpha / size * sum of squares of neighbouring channels)^beta
static LogicalResult convertLrn(Node &n) {
  double alpha = n.real("alpha", 1e-4), beta = n.real("beta", 0.75),
         bias = n.real("bias", 1.0);
  int64_t size = n.integer("size", 0);
  Expr x = n.floating(0);
  if (!x)
    return failure();
  if (x.rank() < 2 || size < 1 || size > 1024)
    return n.refuse("expected channels, and a size from 1 to 1024");
  Shape low(x.rank(), 0), high(x.rank(), 0), offsets(x.rank(), 0);
  low[1] = (size - 1) / 2;
  high[1] = size - 1 - low[1];
  Expr squares = n.op("pad", {n.op("mul", {x, x})},
                      {{"low", n.ints(low)}, {"high", n.ints(high)}});
  Expr total;
  for (; squares && offsets[1] < size; ++offsets[1]) {
    Expr shifted = n.slice(squares, offsets, x.shape());
    total = total ? n.op("add", {total, shifted}) : shifted;
  }
  if (!total)
    return failure();
  Expr base = total * (alpha / double(size)) + bias;
  return n.set(0, x / expr::pow(base, base.constant(beta)));
}

static LogicalResult convertMeanVariance(Node &n) {
  Expr x = n.floating(0);
  Shape given = n.integers("axes").value_or(Shape{0, 2, 3});
  if (!x)
    return failure();
  FailureOr<Shape> axes = n.normalizeSorted(given, x.rank());
  if (failed(axes))
    return failure();
  Expr centered = x - expr::mean(x, *axes);
  Expr deviation = expr::sqrt(expr::mean(centered * centered, *axes));
  return n.set(0,
               centered / (deviation + 1e-9)); // the function of the standard
}

ArrayRef<Converter> mpc::onnx::normalizationConverters() {
  static constexpr Converter rows[] = {
      {"BatchNormalization", 7, convertBatchNorm},
      {"GroupNormalization", 18, convertGroupNorm},
      {"InstanceNormalization", 6, convertInstanceNorm},
      {"LRN", 1, convertLrn},
      {"LayerNormalization", 17, convertLayerNorm},
      {"LpNormalization", 1, convertLpNorm},
      {"MeanVarianceNormalization", 9, convertMeanVariance},
      {"RMSNormalization", 23, convertLayerNorm}};
  return rows;
}
