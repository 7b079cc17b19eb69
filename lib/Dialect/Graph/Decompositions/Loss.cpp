// Family Loss: formulas.
#include "mpc/Dialect/Graph/IR/Ops/Loss.h"
#include "Decomposition.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include <limits>

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

/// loss_i = log(sum_c exp(z_ic - m_i)) - (z_i,label - m_i), m_i = max_c z_ic,
/// over the samples with label != ignore_index and mask; their mean or sum.
/// A label outside the classes picks -inf, so it shows as an infinite loss.
SmallVector<Value>
CrossEntropyOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr logits =
      d.castTo(getLogits(), mlir::getElementTypeOrSelf(getLoss().getType()));
  int64_t classDim = logits.rank() - 1;

  // Labels and mask as columns beside the logits.
  SmallVector<int64_t> column(logits.shape());
  column.back() = 1;
  Expr labels = reshape(d(getLabels()), column);

  Expr largest = max(logits, {classDim});
  Expr logSum = log(sum(exp(logits - largest), {classDim}));
  Value classes = IotaOp::create(
      builder,
      RankedTensorType::get({logits.shape().back()}, labels.elementType()),
      builder.getI64IntegerAttr(0));
  Expr isLabel = equal(d(classes), labels);
  // Picked before the maximum is known: one sweep over the classes finds both.
  Expr none = logits.constant(-std::numeric_limits<double>::infinity());
  Expr picked = max(select(isLabel, logits, none), {classDim});
  Expr losses = logSum - (picked - largest);

  Expr zero = logits.constant(0.0), counts = logits.constant(1.0);
  auto countOnly = [&](Expr condition) {
    losses = select(condition, losses, zero);
    counts = select(condition, counts, zero);
  };
  countOnly(notEqual(labels, labels.integer(int64_t(getIgnoreIndex()))));
  if (Value mask = getMask())
    countOnly(reshape(d(mask), column));

  Expr total = sumAll(losses);
  if (getReduction() == LossReduction::Mean)
    total = total / sumAll(counts);
  return {total};
}

/// The sum over all elements of `losses`, or their mean.
static Expr combine(Expr losses, LossReduction reduction) {
  Expr total = sumAll(inFoldShape(losses));
  return reduction == LossReduction::Mean ? total / double(losses.numElements())
                                          : total;
}

/// sum (p - t)^2, divided by the number of elements for the mean.
SmallVector<Value> MseOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type element = mlir::getElementTypeOrSelf(getLoss().getType());
  Expr difference =
      d.castTo(getPrediction(), element) - d.castTo(getTarget(), element);
  return {combine(difference * difference, getReduction())};
}

/// sum (t - 1) max(ln(1 - p), -100) - t max(ln p, -100), as PyTorch writes it.
SmallVector<Value>
BinaryCrossEntropyOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type element = mlir::getElementTypeOrSelf(getLoss().getType());
  Expr p = d.castTo(getPrediction(), element);
  Expr t = d.castTo(getTarget(), element);
  Expr one = p.constant(1.0), least = p.constant(-100.0);
  Expr ifTrue = t * maximum(log(p), least);
  Expr ifFalse = (t - one) * maximum(log(one - p), least);
  return {combine(ifFalse - ifTrue, getReduction())};
}
