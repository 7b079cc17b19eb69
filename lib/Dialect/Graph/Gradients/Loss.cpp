// Family Loss: gradient rules.
#include "mpc/Dialect/Graph/IR/Ops/Loss.h"
#include "Rule.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

//===-- Of elements -------------------------------------------------------===//

/// What each element's slope is multiplied by: the loss's cotangent, over the
/// number of elements of a mean.
static Expr cotangentOfEach(GradientBuilder &g, LossReduction reduction) {
  Expr dy = cotangent(g);
  double n = static_cast<double>(operand(g, 0).numElements());
  return reduction == LossReduction::Mean ? dy * (1 / n) : dy;
}

/// da = slope * dy / n, db = -da
static LogicalResult setOpposite(GradientBuilder &g, LossReduction reduction,
                                 Expr slope) {
  Expr da = slope * cotangentOfEach(g, reduction);
  g.set(0, da);
  if (g.needs(1))
    g.set(1, -da);
  return success();
}

// slope = 2 (a - b)
LogicalResult MseOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), d = operand(g, 0) - operand(g, 1);
  double n = getReduction() == LossReduction::Mean
                 ? static_cast<double>(d.numElements())
                 : 1.0;
  Expr da = d * (dy * (2 / n));
  g.set(0, da);
  if (g.needs(1))
    g.set(1, -da);
  return success();
}

// slope = sign(a - b)
LogicalResult L1Op::buildVjp(GradientBuilder &g) {
  return setOpposite(g, getReduction(), sign(operand(g, 0) - operand(g, 1)));
}

/// Of d: `line` where |d| is more than `width`, else `parabola`, so that a NaN
/// stays one, and is seen.
static Expr bend(Expr d, double width, Expr parabola, Expr line) {
  Expr size = abs(d);
  return select(less(size.constant(width), size), line, parabola);
}

// slope = sign(d) where |d| > beta, else d / beta, of d = a - b
LogicalResult SmoothL1Op::buildVjp(GradientBuilder &g) {
  Expr d = operand(g, 0) - operand(g, 1);
  double beta = getBeta().convertToDouble();
  Expr slope = sign(d);
  if (beta != 0)
    slope = bend(d, beta, d / beta, slope);
  return setOpposite(g, getReduction(), slope);
}

// slope = delta sign(d) where |d| > delta, else d, of d = a - b
LogicalResult HuberOp::buildVjp(GradientBuilder &g) {
  Expr d = operand(g, 0) - operand(g, 1);
  double delta = getDelta().convertToDouble();
  Expr slope = bend(d, delta, d, sign(d) * delta);
  return setOpposite(g, getReduction(), slope);
}

// dp = (p - t) / max((1 - p) * p, 1e-12) * dy / n, as PyTorch's kernel has it;
// dt = (ln(1 - p) - ln(p)) * dy / n, of the logarithms that were cut off
LogicalResult BinaryCrossEntropyOp::buildVjp(GradientBuilder &g) {
  Expr p = operand(g, 0), t = operand(g, 1);
  Expr weight = cotangentOfEach(g, getReduction());
  auto atLeast = [](Expr x, double least) {
    Expr bound = x.constant(least);
    return select(less(x, bound), bound, x);
  };
  if (g.needs(0))
    g.set(0, (p - t) / atLeast((1.0 - p) * p, 1e-12) * weight);
  if (g.needs(1))
    g.set(1,
          (atLeast(log(1.0 - p), -100.0) - atLeast(log(p), -100.0)) * weight);
  return success();
}

// With v = 1 + (w - 1) t:
//   dx = (1 - t - v * sigmoid(-x)) * dy / n
//   dt = ((w - 1) * softplus(-x) - x) * dy / n
LogicalResult BinaryCrossEntropyWithLogitsOp::buildVjp(GradientBuilder &g) {
  Expr x = operand(g, 0), t = operand(g, 1);
  Expr dy = cotangentOfEach(g, getReduction());
  Expr more = getPosWeight() ? operand(g, 2) - 1.0 : Expr();
  if (g.needs(0)) {
    // Without weights the same as sigmoid(x) - t, which subtracts once.
    Expr slope =
        more ? 1.0 - t - (more * t + 1.0) * sigmoid(-x) : sigmoid(x) - t;
    g.set(0, slope * dy);
  }
  if (g.needs(1))
    g.set(1, (more ? more * softplus(-x) - x : -x) * dy);
  return success();
}

// dp = -t * dy / n,  dt = (ln(t) + 1 - p) * dy / n;  of t' = ln(t):
// dp = -e^t' * dy / n,  dt' = e^t' (t' + 1 - p) * dy / n
LogicalResult KlDivOp::buildVjp(GradientBuilder &g) {
  Expr p = operand(g, 0), t = operand(g, 1);
  Expr dy = cotangentOfEach(g, getReduction());
  Expr likely = getLogTarget() ? exp(t) : t;
  if (g.needs(0))
    g.set(0, -likely * dy);
  if (g.needs(1))
    g.set(1, (getLogTarget() ? likely * (t + 1.0 - p) : log(t) + 1.0 - p) * dy);
  return success();
}

//===-- Of samples --------------------------------------------------------===//

namespace {
/// What the gradients of losses with labels share, as columns beside scores
/// [..., classes].
template <typename Op> class LabelGradient {
public:
  LabelGradient(Op op, GradientBuilder &g)
      : op(op), g(g), scores(operand(g, 0)), labels(operand(g, 1)),
        column(labels.shape()) {
    column.push_back(1);
    int64_t classDim = scores.rank() - 1;
    auto type = RankedTensorType::get(scores.shape(), labels.elementType());
    Expr classes(scores.builder(),
                 IotaOp::create(scores.builder(), type, classDim));
    isLabel = equal(classes, reshape(labels, column));
    unsigned index = 2;
    if (op.getMask())
      mask = operand(g, index++);
    if (op.getWeight())
      classWeight = operand(g, index);
  }

  /// `slope` of the scores of samples that count, times the cotangent and how
  /// much they count; 0 of the others, even where none counts.
  Expr finish(Expr slope);

  Op op;
  GradientBuilder &g;
  Expr scores, labels, mask, classWeight, isLabel;
  SmallVector<int64_t> column;

private:
  /// Which samples count.
  Expr counted();
  /// How much all samples together count.
  Expr total(Expr counted);
};

template <typename Op> Expr LabelGradient<Op>::counted() {
  auto ignored = static_cast<int64_t>(op.getIgnoreIndex());
  Expr counted = notEqual(labels, labels.integer(ignored));
  if (!mask)
    return counted;
  Expr isSet = mask.elementType().isInteger(1) ? mask : notEqual(mask, 0.0);
  return select(isSet, counted, counted.integer(0));
}

template <typename Op> Expr LabelGradient<Op>::total(Expr counted) {
  Type element = cotangent(g).elementType();
  Expr counts = computedIn(counted, element);
  bool isWeighted = mask && !mask.elementType().isInteger(1);
  if (isWeighted)
    counts = select(counted, computedIn(mask, element), counts.constant(0.0));
  if (classWeight) {
    Expr w = computedIn(classWeight, element), zero = w.constant(0.0);
    int64_t classDim = scores.rank() - 1;
    Expr ofLabel = sum(select(isLabel, w, zero), {classDim});
    counts = counts * reshape(ofLabel, labels.shape());
  }
  Expr all = reshape(sum(counts, dimsFrom(0, counts.rank())), {});
  double epsilon = op.getEpsilon().convertToDouble();
  return epsilon == 0 ? all : all + epsilon;
}

template <typename Op> Expr LabelGradient<Op>::finish(Expr slope) {
  Expr counts = counted(), dy = cotangent(g);
  if (op.getReduction() == LossReduction::Mean)
    dy = dy / total(counts);
  else if (op.getReduction() == LossReduction::None)
    dy = reshape(dy, column);
  if (mask && !mask.elementType().isInteger(1))
    dy = dy * reshape(computedIn(mask, dy.elementType()), column);
  return select(reshape(counts, column), slope * dy, slope.constant(0.0));
}

/// Whether nothing of `op` that has no gradient is asked for one.
template <typename Op>
LogicalResult checkMaskIsGiven(Op op, GradientBuilder &g) {
  if (!op.getMask() || op.getMask().getType().getElementType().isInteger(1) ||
      !g.needs(2))
    return success();
  return op.emitOpError(
      "expected a mask that nothing trained has an effect on, for masks have "
      "no gradient: multiply the losses of `reduction = <none>` instead");
}
} // namespace

/// q_c = weight_c * (t_c * (1 - s) + s / classes), for t_c = 1 of the label.
static Expr smoothLabels(LabelGradient<CrossEntropyOp> &of, Expr like,
                         double smoothing) {
  double off = smoothing / double(of.scores.shape().back());
  Expr q = select(of.isLabel, like.constant(1 - smoothing + off),
                  like.constant(off));
  return of.classWeight ? q * computedIn(of.classWeight, like.elementType())
                        : q;
}

// dx = (softmax(x) * sum_c q_c - q) * mask * dy / n for the samples that count,
// n of them (1 if the losses are summed); 0 for the others, even if n = 0.
// Without weights sum_c q_c = 1.
LogicalResult CrossEntropyOp::buildVjp(GradientBuilder &g) {
  if (failed(checkMaskIsGiven(*this, g)))
    return failure();
  if (!g.needs(0))
    return success();
  LabelGradient of(*this, g);
  int64_t classDim = of.scores.rank() - 1;
  Expr p = softmax(of.scores, classDim);
  double smoothing = getLabelSmoothing().convertToDouble();
  if (!getWeight() && smoothing == 0) {
    g.set(0, of.finish(select(of.isLabel, p - 1.0, p)));
    return success();
  }
  Expr q = smoothLabels(of, p, smoothing);
  Expr error = (getWeight() ? p * sum(q, {classDim}) : p) - q;
  g.set(0, of.finish(error));
  return success();
}

// dx = -weight of the label * mask * dy / n at the label, else 0
LogicalResult NllOp::buildVjp(GradientBuilder &g) {
  if (failed(checkMaskIsGiven(*this, g)))
    return failure();
  if (!g.needs(0))
    return success();
  LabelGradient of(*this, g);
  Expr zero = of.scores.constant(0.0), one = of.scores.constant(1.0);
  Expr slope = of.classWeight
                   ? -computedIn(of.classWeight, of.scores.elementType())
                   : -one;
  g.set(0, of.finish(select(of.isLabel, slope, zero)));
  return success();
}

// With q = weight * (t * (1 - s) + s / classes):
//   dx = (softmax(x) * sum_c q_c - q) * dy / n
//   dt = -weight * (1 - s) * log_softmax(x) * dy / n
LogicalResult SoftCrossEntropyOp::buildVjp(GradientBuilder &g) {
  Expr x = operand(g, 0), dy = cotangent(g);
  // Targets and weights may be of other types than the logits.
  Expr q = computedIn(operand(g, 1), x.elementType());
  Expr weight =
      getWeight() ? computedIn(operand(g, 2), x.elementType()) : Expr();
  int64_t classDim = x.rank() - 1;
  auto classes = static_cast<double>(x.shape().back());
  double smoothing = getLabelSmoothing().convertToDouble();
  if (getReduction() == LossReduction::Mean)
    dy = dy * (classes / double(x.numElements()));
  if (getReduction() == LossReduction::None) {
    SmallVector<int64_t> column(x.shape());
    column.back() = 1;
    dy = reshape(dy, column);
  }
  if (g.needs(1)) {
    Expr dt = logSoftmax(x, classDim) * (smoothing - 1) * dy;
    g.set(1, weight ? dt * weight : dt);
  }
  if (!g.needs(0))
    return success();
  if (smoothing != 0)
    q = q * (1 - smoothing) + smoothing / classes;
  if (weight)
    q = q * weight;
  g.set(0, (softmax(x, classDim) * sum(q, {classDim}) - q) * dy);
  return success();
}
