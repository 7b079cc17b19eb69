// Family Loss: formulas.
#include "mpc/Dialect/Graph/IR/Ops/Loss.h"
#include "Formula.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include <limits>

using namespace mpc;
using namespace mpc::graph;

/// loss_i = log(sum_c exp(z_ic - m_i)) - (z_i,label - m_i), m_i = max_c z_ic,
/// over the samples with label != ignore_index and mask; their mean or sum.
/// A label outside the classes picks -inf, so it shows as an infinite loss.
SmallVector<Value>
CrossEntropyOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Value logits =
      f.cast(getLogits(), mlir::getElementTypeOrSelf(getLoss().getType()));
  auto type = mlir::cast<RankedTensorType>(logits.getType());
  int64_t classDim = type.getRank() - 1;

  // Labels and mask as columns beside the logits.
  SmallVector<int64_t> column(type.getShape());
  column.back() = 1;
  Value labels = f.reshape(getLabels(), column);

  Value largest = f.maxKept(logits, {classDim});
  Value logSum = f.log(f.sumKept(f.exp(f.sub(logits, largest)), {classDim}));
  Value classes =
      IotaOp::create(builder,
                     RankedTensorType::get({type.getShape().back()},
                                           mlir::getElementTypeOrSelf(labels)),
                     builder.getI64IntegerAttr(0));
  Value isLabel = f.compare(ComparePredicate::Eq, classes, labels);
  // Picked before the maximum is known: one sweep over the classes finds both.
  Value none = f.like(logits, -std::numeric_limits<double>::infinity());
  Value picked = f.maxKept(f.select(isLabel, logits, none), {classDim});
  Value losses = f.sub(logSum, f.sub(picked, largest));

  Value zero = f.like(logits, 0.0);
  Value counts = f.like(logits, 1.0);
  auto countOnly = [&](Value condition) {
    losses = f.select(condition, losses, zero);
    counts = f.select(condition, counts, zero);
  };
  countOnly(f.compare(ComparePredicate::Ne, labels,
                      f.like(labels, double(int64_t(getIgnoreIndex())))));
  if (Value mask = getMask())
    countOnly(f.reshape(mask, column));

  Value total = f.sumAll(losses);
  if (getReduction() == LossReduction::Mean)
    total = f.div(total, f.sumAll(counts));
  return {total};
}

/// The sum over all elements of `losses`, or their mean.
static Value combine(Formula &f, Value losses, LossReduction reduction) {
  auto type = mlir::cast<RankedTensorType>(losses.getType());
  Value total = f.sumAll(f.reshape(losses, getFoldShape(type.getShape())));
  if (reduction == LossReduction::Mean)
    total = f.div(total, f.like(total, double(type.getNumElements())));
  return total;
}

/// sum (p - t)^2, divided by the number of elements for the mean.
SmallVector<Value> MseOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Type element = mlir::getElementTypeOrSelf(getLoss().getType());
  Value difference =
      f.sub(f.cast(getPrediction(), element), f.cast(getTarget(), element));
  return {combine(f, f.mul(difference, difference), getReduction())};
}

/// sum (t - 1) max(ln(1 - p), -100) - t max(ln p, -100), as PyTorch writes it.
SmallVector<Value>
BinaryCrossEntropyOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Type element = mlir::getElementTypeOrSelf(getLoss().getType());
  Value p = f.cast(getPrediction(), element);
  Value t = f.cast(getTarget(), element);
  Value one = f.like(p, 1.0), least = f.like(p, -100.0);
  Value ifTrue = f.mul(t, f.maximum(f.log(p), least));
  Value ifFalse = f.mul(f.sub(t, one), f.maximum(f.log(f.sub(one, p)), least));
  return {combine(f, f.sub(ifFalse, ifTrue), getReduction())};
}
