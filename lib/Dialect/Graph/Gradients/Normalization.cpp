// Family Normalization: gradient rules. y is the result, dy its cotangent.
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h"
#include "Rule.h"

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
