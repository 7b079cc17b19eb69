// Family Elementwise: gradient rules. y is the result, dy its cotangent.
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "Rule.h"
#include <numbers>

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

// da = dy; db = dy
LogicalResult AddOp::buildVjp(GradientBuilder &g) {
  g.set(0, g.cotangent(0));
  g.set(1, g.cotangent(0));
  return success();
}

// da = dy; db = -dy
LogicalResult SubOp::buildVjp(GradientBuilder &g) {
  g.set(0, g.cotangent(0));
  if (g.needs(1))
    g.set(1, -cotangent(g));
  return success();
}

// da = dy * b; db = dy * a
LogicalResult MulOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g);
  if (g.needs(0))
    g.set(0, dy * operand(g, 1));
  if (g.needs(1))
    g.set(1, dy * operand(g, 0));
  return success();
}

// da = dy / b; db = -dy * (y / b), as PyTorch has it
LogicalResult DivOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), b = operand(g, 1);
  if (g.needs(0))
    g.set(0, dy / b);
  if (g.needs(1)) // dy / b may overflow where y / b is 0
    g.set(1, -dy * (result(g) / b));
  return success();
}

// da = dy * b * a^(b - 1), 0 where b = 0
// db = dy * y * log(a),    0 where a = 0 and b >= 0
LogicalResult PowOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), a = operand(g, 0), b = operand(g, 1);
  Expr zero = dy.constant(0.0);
  if (g.needs(0))
    g.set(0, select(equal(b, zero), zero, dy * (b * pow(a, b - 1.0))));
  if (g.needs(1)) {
    Expr db = dy * (result(g) * log(a));
    Expr atZero = select(greaterEqual(b, zero), zero, db);
    g.set(1, select(equal(a, zero), atZero, db));
  }
  return success();
}

/// The operand that `loses` gets nothing, the other one dy; equal ones half
/// each.
static LogicalResult buildExtremum(GradientBuilder &g,
                                   Expr (*loses)(Expr, Expr)) {
  Expr dy = cotangent(g), a = operand(g, 0), b = operand(g, 1);
  Expr shared = select(equal(a, b), dy * 0.5, dy), zero = dy.constant(0.0);
  if (g.needs(0))
    g.set(0, select(loses(a, b), zero, shared));
  if (g.needs(1))
    g.set(1, select(loses(b, a), zero, shared));
  return success();
}

// da = dy * [a > b] + dy/2 * [a = b], and b alike
LogicalResult MaximumOp::buildVjp(GradientBuilder &g) {
  return buildExtremum(g, less);
}

// da = dy * [a < b] + dy/2 * [a = b], and b alike
LogicalResult MinimumOp::buildVjp(GradientBuilder &g) {
  return buildExtremum(g, greater);
}

// dx = -dy
LogicalResult NegOp::buildVjp(GradientBuilder &g) {
  g.set(0, -cotangent(g));
  return success();
}

// dx = dy * sign(x), sign(0) = 0
LogicalResult AbsOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), x = operand(g, 0), zero = dy.constant(0.0);
  Expr negative = select(less(x, zero), -dy, zero);
  g.set(0, select(greater(x, zero), dy, negative));
  return success();
}

// dx = dy * y
LogicalResult ExpOp::buildVjp(GradientBuilder &g) {
  g.set(0, cotangent(g) * result(g));
  return success();
}

// dx = dy / x
LogicalResult LogOp::buildVjp(GradientBuilder &g) {
  g.set(0, cotangent(g) / operand(g, 0));
  return success();
}

// dx = dy / (2 * y)
LogicalResult SqrtOp::buildVjp(GradientBuilder &g) {
  g.set(0, cotangent(g) / (2.0 * result(g)));
  return success();
}

// dx = -1/2 * dy * y^3
LogicalResult RsqrtOp::buildVjp(GradientBuilder &g) {
  Expr y = result(g);
  g.set(0, -0.5 * cotangent(g) * (y * y * y));
  return success();
}

// dx = dy * (y + 1)
LogicalResult Expm1Op::buildVjp(GradientBuilder &g) {
  g.set(0, cotangent(g) * (result(g) + 1.0));
  return success();
}

// dx = dy / (1 + x)
LogicalResult Log1pOp::buildVjp(GradientBuilder &g) {
  g.set(0, cotangent(g) / (1.0 + operand(g, 0)));
  return success();
}

// dx = dy * cos(x)
LogicalResult SinOp::buildVjp(GradientBuilder &g) {
  g.set(0, cotangent(g) * cos(operand(g, 0)));
  return success();
}

// dx = -dy * sin(x)
LogicalResult CosOp::buildVjp(GradientBuilder &g) {
  g.set(0, -cotangent(g) * sin(operand(g, 0)));
  return success();
}

// dx = -dy * y^2
LogicalResult ReciprocalOp::buildVjp(GradientBuilder &g) {
  Expr y = result(g);
  g.set(0, -cotangent(g) * (y * y));
  return success();
}

/// dx = 0, whatever dy is.
static LogicalResult buildZero(GradientBuilder &g, RankedTensorType type) {
  Expr zero = expr::constant(g.builder(), type.getElementType(), 0.0);
  g.set(0, broadcast(zero, type.getShape()));
  return success();
}

LogicalResult FloorOp::buildVjp(GradientBuilder &g) {
  return buildZero(g, getType());
}
LogicalResult CeilOp::buildVjp(GradientBuilder &g) {
  return buildZero(g, getType());
}
LogicalResult RoundOp::buildVjp(GradientBuilder &g) {
  return buildZero(g, getType());
}
LogicalResult SignOp::buildVjp(GradientBuilder &g) {
  return buildZero(g, getType());
}

// dx = dy where min < x < max, else 0
LogicalResult ClampOp::buildVjp(GradientBuilder &g) {
  Expr dx = cotangent(g), x = operand(g, 0), zero = dx.constant(0.0);
  if (auto least = getMin())
    dx = select(greater(x, least->convertToDouble()), dx, zero);
  if (auto most = getMax())
    dx = select(less(x, most->convertToDouble()), dx, zero);
  g.set(0, dx);
  return success();
}

// dx = dy * 2/sqrt(pi) * exp(-x^2)
LogicalResult ErfOp::buildVjp(GradientBuilder &g) {
  Expr x = operand(g, 0);
  g.set(0, cotangent(g) * (2 * std::numbers::inv_sqrtpi * exp(-(x * x))));
  return success();
}

// dx = dy * (1 - y^2)
LogicalResult TanhOp::buildVjp(GradientBuilder &g) {
  Expr y = result(g);
  g.set(0, cotangent(g) * (1.0 - y * y));
  return success();
}

// da = dy where condition, else 0; db the other way round
LogicalResult SelectOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), condition = operand(g, 0), zero = dy.constant(0.0);
  if (g.needs(1))
    g.set(1, select(condition, dy, zero));
  if (g.needs(2))
    g.set(2, select(condition, zero, dy));
  return success();
}
