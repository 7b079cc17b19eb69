// Family Normalization: formulas.
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h"
#include "Formula.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
Type elementOf(Value value) { return mlir::getElementTypeOrSelf(value); }

/// x - max(x), in the compute type of input or result, the wider one.
Value shiftByMax(Formula &f, Value input, Type resultElement, int64_t dim) {
  Value x = f.wide(input, resultElement);
  return f.sub(x, f.maxKept(x, {dim}));
}
} // namespace

/// exp(x - max) * (1 / sum exp(x - max)). One division per row: an exact one
/// per element costs as much as the exponential, for half an ulp of f32.
SmallVector<Value> SoftmaxOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Type element = elementOf(getResult());
  int64_t dim = getDim();
  Value powers = f.exp(shiftByMax(f, getInput(), element, dim));
  Value sum = f.sumKept(powers, {dim});
  return {f.cast(f.mul(powers, f.div(f.like(sum, 1.0), sum)), element)};
}

/// (x - max) - log(sum exp(x - max))
SmallVector<Value>
LogSoftmaxOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Type element = elementOf(getResult());
  int64_t dim = getDim();
  Value shifted = shiftByMax(f, getInput(), element, dim);
  Value logSum = f.log(f.sumKept(f.exp(shifted), {dim}));
  return {f.cast(f.sub(shifted, logSum), element)};
}

/// (x - mean) * rsqrt(mean((x - mean)^2) + epsilon) * weight + bias.
/// Two passes: the one-pass formula mean(x^2) - mean^2 cancels.
SmallVector<Value> LayerNormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Value x = f.wide(getInput());
  auto type = mlir::cast<RankedTensorType>(x.getType());
  auto dims = dimsFrom(getFirstDim(), type.getRank());
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= type.getDimSize(dim);
  Value size = f.like(x, double(count));

  Value centered = f.sub(x, f.div(f.sumKept(x, dims), size));
  Value variance = f.div(f.sumKept(f.mul(centered, centered), dims), size);
  Value scale =
      f.rsqrt(f.add(variance, f.like(x, getEpsilon().convertToDouble())));
  Value y = f.mul(centered, scale);
  if (Value weight = getWeight())
    y = f.mul(y, f.cast(weight, elementOf(x)));
  if (Value bias = getBias())
    y = f.add(y, f.cast(bias, elementOf(x)));
  return {f.cast(y, elementOf(getResult()))};
}
