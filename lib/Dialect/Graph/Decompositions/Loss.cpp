// Family Loss: formulas.
#include "mpc/Dialect/Graph/IR/Ops/Loss.h"
#include "Decomposition.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include <limits>

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

//===-- Of elements -------------------------------------------------------===//

/// `losses` of elements, their sum or their mean.
static Expr combine(Expr losses, LossReduction reduction) {
  if (reduction == LossReduction::None)
    return losses;
  Expr total = sumAll(inFoldShape(losses));
  return reduction == LossReduction::Mean ? total / double(losses.numElements())
                                          : total;
}

namespace {
/// Prediction and target, in the type of the loss.
template <typename Op> struct Elements {
  Elements(mlir::ImplicitLocOpBuilder &builder, Op op)
      : builder(builder, op), reduction(op.getReduction()),
        prediction(
            this->builder.castTo(op->getOperand(0), elementOf(op.getLoss()))),
        target(
            this->builder.castTo(op->getOperand(1), elementOf(op.getLoss()))) {}

  SmallVector<Value> combine(Expr losses) const {
    return {::combine(losses, reduction)};
  }

  Decomposition builder;
  LossReduction reduction;
  Expr prediction, target;
};
} // namespace

SmallVector<Value> MseOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Elements of(builder, *this);
  Expr difference = of.prediction - of.target;
  return of.combine(difference * difference);
}

SmallVector<Value> L1Op::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Elements of(builder, *this);
  return of.combine(abs(of.prediction - of.target));
}

/// Of d = |p - t|: `square` where it is less than `width`, else `line`.
static Expr bend(Expr d, double width, Expr square, Expr line) {
  return select(less(d, width), square, line);
}

/// d^2 / (2 beta), from beta on d - beta / 2
SmallVector<Value> SmoothL1Op::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Elements of(builder, *this);
  double beta = getBeta().convertToDouble();
  Expr d = abs(of.prediction - of.target);
  if (beta == 0)
    return of.combine(d);
  return of.combine(bend(d, beta, d * d * 0.5 / beta, d - beta / 2));
}

/// d^2 / 2, from delta on delta (d - delta / 2)
SmallVector<Value> HuberOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Elements of(builder, *this);
  double delta = getDelta().convertToDouble();
  Expr d = abs(of.prediction - of.target);
  return of.combine(bend(d, delta, d * d * 0.5, (d - delta / 2) * delta));
}

/// (t - 1) max(ln(1 - p), -100) - t max(ln p, -100), as PyTorch writes it.
SmallVector<Value>
BinaryCrossEntropyOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Elements of(builder, *this);
  Expr p = of.prediction, t = of.target;
  Expr one = p.constant(1.0), least = p.constant(-100.0);
  Expr ifTrue = t * maximum(log(p), least);
  Expr ifFalse = (t - one) * maximum(log(one - p), least);
  return of.combine(ifFalse - ifTrue);
}

/// (1 - t) x + (1 + (w - 1) t) softplus(-x)
SmallVector<Value>
BinaryCrossEntropyWithLogitsOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Elements of(builder, *this);
  Expr x = of.prediction, t = of.target;
  Expr loss = (1.0 - t) * x;
  Expr ifTrue = softplus(-x);
  if (Value weight = getPosWeight()) {
    Expr w = of.builder.castTo(weight, x.elementType());
    ifTrue = ((w - 1.0) * t + 1.0) * ifTrue;
  }
  return of.combine(loss + ifTrue);
}

/// t (ln t - p), where t is not 0; of t' = ln t, e^t' (t' - p).
SmallVector<Value> KlDivOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Elements of(builder, *this);
  Expr p = of.prediction, t = of.target;
  if (getLogTarget())
    return of.combine(exp(t) * (t - p));
  return of.combine(select(equal(t, 0.0), t.constant(0.0), t * (log(t) - p)));
}

//===-- Of samples --------------------------------------------------------===//

namespace {
/// Labels, masks and weights as columns beside scores [..., classes].
template <typename Op> class Samples {
public:
  Samples(mlir::ImplicitLocOpBuilder &builder, Op op)
      : d(builder, op), op(op),
        scores(d.castTo(op->getOperand(0), elementOf(op.getLoss()))),
        classDim(scores.rank() - 1), column(scores.shape()) {
    column.back() = 1;
    labels = reshape(d(op.getLabels()), column);
    auto row =
        RankedTensorType::get({scores.shape().back()}, labels.elementType());
    Value classes = IotaOp::create(builder, row, builder.getI64IntegerAttr(0));
    isLabel = equal(d(classes), labels);
    if (Value weight = op.getWeight())
      classWeight = d.castTo(weight, scores.elementType());
  }

  /// A label outside of the classes picks -inf, so that it shows as an infinite
  /// loss.
  Expr pick() const {
    Expr none = scores.constant(-std::numeric_limits<double>::infinity());
    return max(select(isLabel, scores, none), {classDim});
  }
  /// The weight of the label's class; none if classes have none.
  Expr labelWeight() const {
    if (!classWeight)
      return {};
    Expr zero = scores.constant(0.0);
    return sum(select(isLabel, classWeight, zero), {classDim});
  }
  /// What `losses` of samples come to, which `weight` already multiplies.
  SmallVector<Value> combine(Expr losses, Expr weight);

  Decomposition d;
  Op op;
  Expr scores, labels, isLabel, classWeight;
  int64_t classDim;
  SmallVector<int64_t> column;

private:
  /// `x` where a sample counts, as much as it counts.
  Expr countOnly(Expr x);
};

template <typename Op> Expr Samples<Op>::countOnly(Expr x) {
  Expr zero = scores.constant(0.0);
  Expr ignored = labels.integer(int64_t(op.getIgnoreIndex()));
  x = select(notEqual(labels, ignored), x, zero);
  if (!op.getMask())
    return x;
  Expr mask = reshape(d(op.getMask()), column);
  if (mask.elementType().isInteger(1))
    return select(mask, x, zero);
  // What is infinite or NaN does not count with 0, either.
  mask = d.castTo(mask, scores.elementType());
  return select(notEqual(mask, 0.0), x * mask, zero);
}

template <typename Op>
SmallVector<Value> Samples<Op>::combine(Expr losses, Expr weight) {
  losses = countOnly(losses);
  if (op.getReduction() == LossReduction::None)
    return {reshape(losses, op.getLabels().getType().getShape())};
  Expr total = sumAll(losses);
  if (op.getReduction() == LossReduction::Mean) {
    Expr counts = sumAll(countOnly(weight ? weight : scores.constant(1.0)));
    double epsilon = op.getEpsilon().convertToDouble();
    total = total / (epsilon == 0 ? counts : counts + epsilon);
  }
  return {total};
}
} // namespace

/// -sum_c t_c (z_c - m - log(sum_k exp(z_k - m))) of t = target, with m = max
/// z; smoothing s gives (1 - s) times that of the target and s times that of
/// the mean over all classes.
///
/// With a label it is log(sum_k exp(z_k - m)) - (z_label - m): the label is
/// picked before the maximum is known, so that one sweep over the classes finds
/// both.
SmallVector<Value>
CrossEntropyOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Samples of(builder, *this);
  Expr logits = of.scores;
  SmallVector<int64_t> classes{of.classDim};

  Expr largest = max(logits, classes);
  Expr logSum = log(sum(exp(logits - largest), classes));
  Expr losses = logSum - (of.pick() - largest);
  Expr weight = of.labelWeight();
  if (weight)
    losses = losses * weight;
  if (double smoothing = getLabelSmoothing().convertToDouble()) {
    Expr all = logSum - (logits - largest);
    if (of.classWeight)
      all = all * of.classWeight;
    double each = smoothing / double(logits.shape().back());
    losses = losses * (1 - smoothing) + sum(all, classes) * each;
  }
  return of.combine(losses, weight);
}

/// -x_label
SmallVector<Value> NllOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Samples of(builder, *this);
  Expr weight = of.labelWeight(), losses = -of.pick();
  return of.combine(weight ? losses * weight : losses, weight);
}

/// sum_c q_c (log(sum_k exp(z_k - m)) - (z_c - m)), m = max z, of
/// q = weight (target (1 - s) + s / classes)
SmallVector<Value>
SoftCrossEntropyOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type element = elementOf(getLoss());
  Expr logits = d.castTo(getLogits(), element);
  SmallVector<int64_t> classes{logits.rank() - 1};
  double smoothing = getLabelSmoothing().convertToDouble();

  Expr q = d.castTo(getTarget(), element);
  if (smoothing != 0)
    q = q * (1 - smoothing) + smoothing / double(logits.shape().back());
  if (Value weight = getWeight())
    q = q * d.castTo(weight, element);
  Expr largest = max(logits, classes);
  Expr logSum = log(sum(exp(logits - largest), classes));
  Expr losses = sum(q * (logSum - (logits - largest)), classes);
  if (getReduction() == LossReduction::None)
    losses = reshape(losses, logits.shape().drop_back());
  return {combine(losses, getReduction())};
}
