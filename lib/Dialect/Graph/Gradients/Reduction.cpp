// Family Reduction: gradient rules.
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "Rule.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include <cmath>

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
  return static_cast<double>(countReduced(type.getShape(), dims));
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

// dx = the sum of all dy to which x was added
LogicalResult CumsumOp::buildVjp(GradientBuilder &g) {
  g.set(0, CumsumOp::create(g.builder(), g.cotangent(0), getDim(),
                            getExclusive(), !getReverse(), mlir::TypeAttr()));
  return success();
}

/// Products of the elements that stand before each in the last dim, or after
/// it: made of those of 1, 2, 4, ... elements.
static Expr multiplyBeside(Expr x, bool after) {
  mlir::ImplicitLocOpBuilder &b = x.builder();
  int64_t dim = x.rank() - 1, size = x.shape()[dim];
  auto shift = [&](Expr y, int64_t step) {
    SmallVector<int64_t> offsets(y.rank(), 0), sizes(y.shape()),
        ones(y.shape());
    offsets[dim] = after ? step : 0;
    sizes[dim] = size - step;
    ones[dim] = step;
    SmallVector<Value> parts = {broadcast(y.constant(1), ones)};
    if (step < size)
      parts.insert(after ? parts.begin() : parts.end(),
                   slice(y, offsets, sizes));
    return Expr(b, ConcatOp::create(b, parts, dim));
  };
  Expr product = shift(x, 1);
  for (int64_t step = 1; step < size; step *= 2)
    product = product * shift(product, step);
  return product;
}

// dx = dy * the product of all other elements. Not y / x: one may be 0.
LogicalResult ProdOp::buildVjp(GradientBuilder &g) {
  Expr x = operand(g, 0);
  Expr dy = keepingDims(cotangent(g), getInput(), getDims());
  SmallVector<int64_t> order, back(x.rank()), rows;
  for (int64_t dim : llvm::seq(x.rank()))
    if (!llvm::is_contained(getDims(), dim))
      order.push_back(dim);
  llvm::append_range(order, getDims());
  for (auto [place, dim] : llvm::enumerate(order))
    back[dim] = static_cast<int64_t>(place);
  Expr sorted = transpose(x, order);
  rows.assign(sorted.shape().begin(), sorted.shape().end() - getDims().size());
  rows.push_back(countReduced(x.shape(), getDims()));
  Expr row = reshape(sorted, rows);
  Expr others = multiplyBeside(row, false) * multiplyBeside(row, true);
  g.set(0, dy * transpose(reshape(others, sorted.shape()), back));
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

/// dx = dy / (number of extrema) where x = y, else 0. The number is counted in
/// f32, for f16 ends at 65504. No element equals an extremum that is NaN: 0
/// times dy / 0 is NaN for the whole row, as in PyTorch, so that the step is
/// known to be bad.
static Expr shareBetweenTies(Expr x, Expr y, Expr dy, ArrayRef<int64_t> dims) {
  Expr isExtreme = computedIn(equal(x, y), dy.elementType());
  return isExtreme * (dy / sum(isExtreme, dims));
}

template <typename Op>
static LogicalResult buildExtremumVjp(Op op, GradientBuilder &g) {
  Expr y = keepingDims(result(g), op.getInput(), op.getDims());
  Expr dy = widened(keepingDims(cotangent(g), op.getInput(), op.getDims()));
  g.set(0, shareBetweenTies(operand(g, 0), y, dy, op.getDims()));
  return success();
}

LogicalResult MaxOp::buildVjp(GradientBuilder &g) {
  return buildExtremumVjp(*this, g);
}
LogicalResult MinOp::buildVjp(GradientBuilder &g) {
  return buildExtremumVjp(*this, g);
}

// dx = dy * e / sum e, of e = e^(x - max x): what y has lost by rounding would
// be lost by all of a row, which is to sum up to dy.
LogicalResult LogsumexpOp::buildVjp(GradientBuilder &g) {
  Expr x = operand(g, 0), most = max(x, getDims());
  Expr dy = keepingDims(cotangent(g), getInput(), getDims());
  Expr e = exp(x - select(isFinite(most), most, most.constant(0.0)));
  g.set(0, e * (dy / sum(e, getDims())));
  return success();
}

// dx = dy * 2 (x - mean(x)) / (n - correction)
LogicalResult VarOp::buildVjp(GradientBuilder &g) {
  Expr x = operand(g, 0);
  Expr dy = keepingDims(cotangent(g), getInput(), getDims());
  double degrees =
      reducedCount(getInput(), getDims()) - double(getCorrection());
  g.set(0, (dy * 2.0 / degrees) * (x - mean(x, getDims())));
  return success();
}

// Where y = 0, 0; else
//   p = 1:    dx = dy * sign(x)
//   p = 2:    dx = dy * x / y
//   p = inf:  dx = dy * sign(x), shared between the largest magnitudes
//   else      dx = dy * sign(x) * (|x| / y)^(p - 1)
LogicalResult NormOp::buildVjp(GradientBuilder &g) {
  Expr x = operand(g, 0), y = keepingDims(result(g), getInput(), getDims());
  Expr dy = keepingDims(cotangent(g), getInput(), getDims());
  Expr zero = dy.constant(0.0);
  double p = getP().convertToDouble();
  Expr dx;
  if (p == 1)
    dx = dy * sign(x);
  else if (p == 2)
    dx = x * (dy / y);
  else if (std::isinf(p))
    dx = sign(x) * shareBetweenTies(abs(x), y, dy, getDims());
  else // For p < 1 the power is infinite at 0.
    dx = select(equal(x, 0.0), zero,
                dy * sign(x) * pow(abs(x) / y, dy.constant(p - 1)));
  g.set(0, select(equal(y, 0.0), zero, dx));
  return success();
}
