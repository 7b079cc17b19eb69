// Family Reduction: gradient rules.
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "Rule.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

/// A value of the reduced shape with the reduced dims back at size 1.
static Expr keepingDims(Expr x, Value input, ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(input.getType());
  return reshape(x, reducedShape(type.getShape(), dims, /*keepDims=*/true));
}

/// How many elements become one.
static double reducedCount(Value input, ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(input.getType());
  double count = 1;
  for (int64_t dim : dims)
    count *= static_cast<double>(type.getDimSize(dim));
  return count;
}

// dx = dy, repeated
LogicalResult SumOp::buildVjp(GradientBuilder &g) {
  Expr dy = keepingDims(cotangent(g), getInput(), getDims());
  auto type = cast<RankedTensorType>(getInput().getType());
  g.set(0, broadcast(dy, type.getShape()));
  return success();
}

// dx = dy / n, repeated
LogicalResult MeanOp::buildVjp(GradientBuilder &g) {
  Expr dy = keepingDims(cotangent(g), getInput(), getDims());
  auto type = cast<RankedTensorType>(getInput().getType());
  double n = reducedCount(getInput(), getDims());
  g.set(0, broadcast(dy * (1 / n), type.getShape()));
  return success();
}

/// dx = dy where the index is the one that was taken, else 0.
template <typename Op>
static LogicalResult buildWithIndexVjp(Op op, GradientBuilder &g) {
  Expr taken = keepingDims(result(g, 1), op.getInput(), op.getDims());
  Expr dy = keepingDims(cotangent(g), op.getInput(), op.getDims());
  g.set(0, select(equal(operand(g, 1), taken), dy, dy.constant(0)));
  return success();
}

LogicalResult MaxWithIndexOp::buildVjp(GradientBuilder &g) {
  return buildWithIndexVjp(*this, g);
}
LogicalResult MinWithIndexOp::buildVjp(GradientBuilder &g) {
  return buildWithIndexVjp(*this, g);
}

// dx = dy / (number of maxima) where x = y, else 0. The number is counted in
// f32, for f16 ends at 65504. No element equals a maximum that is NaN: 0 times
// dy / 0 is NaN for the whole row, as in PyTorch, so that the step is known to
// be bad.
LogicalResult MaxOp::buildVjp(GradientBuilder &g) {
  Expr x = operand(g, 0), y = keepingDims(result(g), getInput(), getDims());
  Expr dy = widened(keepingDims(cotangent(g), getInput(), getDims()));
  Expr isMost = computedIn(equal(x, y), dy.elementType());
  g.set(0, isMost * (dy / sum(isMost, getDims())));
  return success();
}
