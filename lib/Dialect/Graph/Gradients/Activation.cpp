// Family Activation: gradient rules. y is the result, dy its cotangent.
#include "mpc/Dialect/Graph/IR/Ops/Activation.h"
#include "Rule.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

// dx = dy * y * (1 - y)
LogicalResult SigmoidOp::buildVjp(GradientBuilder &g) {
  Expr y = result(g);
  g.set(0, cotangent(g) * (y * (1.0 - y)));
  return success();
}

// dx = 0 where y <= 0, else dy. From the result, so that x need not be kept.
LogicalResult ReluOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), y = result(g), zero = dy.constant(0.0);
  g.set(0, select(lessEqual(y, zero), zero, dy));
  return success();
}

// dx = dy * gelu'(x)
LogicalResult GeluOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), x = operand(g, 0);
  g.set(0, GeluBackwardOp::create(g.builder(), x.type(), dy, x, getKind()));
  return success();
}

// With s = sigmoid(x): dx = dy * s * (1 + x * (1 - s))
LogicalResult SiluOp::buildVjp(GradientBuilder &g) {
  Expr x = operand(g, 0), s = sigmoid(x);
  g.set(0, cotangent(g) * (s * (1.0 + x * (1.0 - s))));
  return success();
}

// With t = tanh(softplus(x)): dx = dy * (t + x * sigmoid(x) * (1 - t^2))
LogicalResult MishOp::buildVjp(GradientBuilder &g) {
  Expr x = operand(g, 0), t = tanh(softplus(x));
  g.set(0, cotangent(g) * (t + x * sigmoid(x) * (1.0 - t * t)));
  return success();
}

// dx = dy / 6 where -3 < x < 3, else 0
LogicalResult HardsigmoidOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), x = operand(g, 0), zero = dy.constant(0.0);
  g.set(0, select(less(abs(x), 3.0), dy / 6.0, zero));
  return success();
}

// dx = dy * (x / 3 + 1/2) where -3 < x < 3, 0 below, dy above
LogicalResult HardswishOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), x = operand(g, 0), zero = dy.constant(0.0);
  Expr inside = dy * (x / 3.0 + 0.5);
  Expr below = select(lessEqual(x, x.constant(-3.0)), zero, inside);
  g.set(0, select(greaterEqual(x, x.constant(3.0)), dy, below));
  return success();
}

// dx = dy where x > 0, else dy * slope
LogicalResult LeakyReluOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g);
  double slope = getNegativeSlope().convertToDouble();
  g.set(0, select(greater(operand(g, 0), 0.0), dy, dy * slope));
  return success();
}

// dx = dy where x > 0, else dy * alpha * e^x. From x, for y does not tell it
// where alpha is not positive.
LogicalResult EluOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), x = operand(g, 0);
  double alpha = getAlpha().convertToDouble();
  g.set(0, select(greater(x, 0.0), dy, dy * (alpha * exp(x))));
  return success();
}

// dx = dy * sigmoid(beta * x)
LogicalResult SoftplusOp::buildVjp(GradientBuilder &g) {
  double beta = getBeta().convertToDouble();
  g.set(0, cotangent(g) * sigmoid(operand(g, 0) * beta));
  return success();
}
