// Family Normalization: formulas.
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h"
#include "Decomposition.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

namespace {

/// x - max(x), in the compute type of input or result, the wider one.
Expr shiftByMax(Decomposition &d, Value input, Type resultElement,
                int64_t dim) {
  Expr x = d.wide(input, resultElement);
  return x - max(x, {dim});
}
/// The mean of each row of `dims`. Divided, not multiplied by 1 / n: that is
/// rounded, and the mean of a row of equal numbers would not be that number.
Expr meanOf(Expr x, ArrayRef<int64_t> dims) {
  return sum(x, dims) / double(countReduced(x.shape(), dims));
}
} // namespace

/// exp(x - max) * (1 / sum exp(x - max)). One division per row: an exact one
/// per element costs as much as the exponential, for half an ulp of f32.
SmallVector<Value> SoftmaxOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type element = elementOf(getResult());
  int64_t dim = getDim();
  Expr powers = exp(shiftByMax(d, getInput(), element, dim));
  Expr total = sum(powers, {dim});
  return {d.castTo(powers * (1.0 / total), element)};
}

/// (x - max) - log(sum exp(x - max))
SmallVector<Value>
LogSoftmaxOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type element = elementOf(getResult());
  int64_t dim = getDim();
  Expr shifted = shiftByMax(d, getInput(), element, dim);
  Expr logSum = log(sum(exp(shifted), {dim}));
  return {d.castTo(shifted - logSum, element)};
}

/// (x - mean) * rsqrt(mean((x - mean)^2) + epsilon) * weight + bias.
/// Two passes: the one-pass formula mean(x^2) - mean^2 cancels.
SmallVector<Value> LayerNormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d.wide(getInput());
  auto dims = dimsFrom(getFirstDim(), x.rank());

  Expr centered = x - meanOf(x, dims);
  Expr variance = meanOf(centered * centered, dims);
  Expr y = centered * rsqrt(variance + getEpsilon().convertToDouble());
  if (Value weight = getWeight())
    y = y * d.castTo(weight, x.elementType());
  if (Value bias = getBias())
    y = y + d.castTo(bias, x.elementType());
  return {d.castTo(y, elementOf(getResult()))};
}

/// x * rsqrt(mean(x^2) + epsilon) * weight
SmallVector<Value> RmsNormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d.wide(getInput());
  SmallVector<int64_t> dims = dimsFrom(getFirstDim(), x.rank());
  Expr square = meanOf(x * x, dims);
  Expr y = x * rsqrt(square + getEpsilon().convertToDouble());
  if (Value weight = getWeight())
    y = y * d.castTo(weight, x.elementType());
  return {d.castTo(y, elementOf(getResult()))};
}
