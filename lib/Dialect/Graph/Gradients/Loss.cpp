// Family Loss: gradient rules.
#include "mpc/Dialect/Graph/IR/Ops/Loss.h"
#include "Rule.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

/// Which samples count: labels that are not `ignoreIndex`, and mask is true.
static Expr countedSamples(CrossEntropyOp op, GradientBuilder &g) {
  Expr labels = operand(g, 1);
  auto ignored = static_cast<int64_t>(op.getIgnoreIndex());
  Expr counted = notEqual(labels, labels.integer(ignored));
  if (op.getMask())
    counted = select(operand(g, 2), counted, counted.integer(0));
  return counted;
}

// dx = (softmax(x) - onehot(label)) * dy / n for the samples that count, n of
// them (1 if the losses are summed); 0 for the others, even if n = 0
LogicalResult CrossEntropyOp::buildVjp(GradientBuilder &g) {
  if (!g.needs(0))
    return success();
  Expr x = operand(g, 0), labels = operand(g, 1);
  SmallVector<int64_t> column(labels.shape());
  column.push_back(1);
  int64_t classDim = x.rank() - 1;
  auto classType = RankedTensorType::get(x.shape(), labels.elementType());
  Expr classes(x.builder(), IotaOp::create(x.builder(), classType, classDim));

  Expr p = softmax(x, classDim), counted = countedSamples(*this, g);
  Expr isLabel = equal(classes, reshape(labels, column));
  Expr error = select(isLabel, p - 1.0, p);
  Expr weight = cotangent(g);
  if (getReduction() == LossReduction::Mean) {
    Expr ones = computedIn(counted, weight.elementType());
    weight = weight / reshape(sum(ones, dimsFrom(0, ones.rank())), {});
  }
  Expr zero = error.constant(0.0);
  g.set(0, select(reshape(counted, column), error * weight, zero));
  return success();
}

// da = 2 * (a - b) * dy / n, n elements (1 if summed); db = -da
LogicalResult MseOp::buildVjp(GradientBuilder &g) {
  Expr a = operand(g, 0), b = operand(g, 1);
  double n = getReduction() == LossReduction::Mean
                 ? static_cast<double>(a.numElements())
                 : 1.0;
  Expr da = (a - b) * (cotangent(g) * (2 / n));
  g.set(0, da);
  if (g.needs(1))
    g.set(1, -da);
  return success();
}

// dp = (p - t) / max((1 - p) * p, 1e-12) * dy / n, as PyTorch's kernel has it;
// dt = (ln(1 - p) - ln(p)) * dy / n, of the logarithms that were cut off
LogicalResult BinaryCrossEntropyOp::buildVjp(GradientBuilder &g) {
  Expr p = operand(g, 0), t = operand(g, 1);
  double n = getReduction() == LossReduction::Mean
                 ? static_cast<double>(p.numElements())
                 : 1.0;
  Expr weight = cotangent(g) * (1 / n);
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
