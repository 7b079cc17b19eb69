// Family Reduction: formulas of the composites.
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "Formula.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::graph;

/// sum(x) / n in the compute type of input or result, the wider one.
SmallVector<Value> MeanOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  auto resultType = mlir::cast<RankedTensorType>(getResult().getType());
  Value x = f.wide(getInput(), resultType.getElementType());
  auto type = mlir::cast<RankedTensorType>(x.getType());
  int64_t count = 1;
  for (int64_t dim : getDims())
    count *= type.getDimSize(dim);
  Value sum = SumOp::create(builder, x, getDims(), getKeepDims(),
                            /*dtype=*/mlir::TypeAttr());
  Value mean = f.div(sum, f.like(x, double(count)));
  return {f.cast(mean, resultType.getElementType())};
}

namespace {
using FoldTensor = function_ref<Value(Value)>;

/// Combines what `fold` makes of each input, in a shape with parallel rows.
Value overAll(Formula &f, ValueRange inputs, Type element, FoldTensor fold,
              function_ref<Value(Value, Value)> combine) {
  Value total = f.constant(0.0, element);
  for (Value input : inputs) {
    auto type = mlir::cast<RankedTensorType>(input.getType());
    Value x = f.reshape(input, getFoldShape(type.getShape()));
    total = combine(total, f.cast(fold(x), element));
  }
  return total;
}

Value sumOverAll(Formula &f, ValueRange inputs, Type element, FoldTensor term) {
  return overAll(
      f, inputs, element, [&](Value x) { return f.sumAll(term(x)); },
      [&](Value total, Value part) { return f.add(total, part); });
}

/// largest * (sum (|x| / largest)^p)^(1/p): no power overflows, and none of the
/// largest elements underflows. A largest magnitude of 0, inf or NaN is the
/// norm itself.
Value relativeNorm(Formula &f, ValueRange inputs, Value largest, double p,
                   mlir::Builder &builder) {
  Type f64 = builder.getF64Type();
  Value most = f.cast(largest, f64);
  Value exponent = f.constant(p, f64), zero = f.constant(0.0, f64);
  Value infinity = f.constant(std::numeric_limits<double>::infinity(), f64);
  Value sum = sumOverAll(f, inputs, f64, [&](Value x) {
    return f.pow(f.div(f.abs(f.cast(x, f64)), most), exponent);
  });
  Value norm = f.mul(most, f.pow(sum, f.constant(1.0 / p, f64)));
  Value finite =
      f.select(f.compare(ComparePredicate::Lt, most, infinity), norm, most);
  return f.select(f.compare(ComparePredicate::Eq, most, zero), most, finite);
}
} // namespace

/// p = 1: sum |x|;  p = 2: sqrt(sum x^2);  p = inf: max |x|;  else relative to
/// the largest magnitude
SmallVector<Value>
GlobalNormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Type f32 = builder.getF32Type();
  double p = getNormType().convertToDouble();
  ValueRange inputs = getInputs();
  if (p == 1)
    return {sumOverAll(f, inputs, f32, [&](Value x) { return f.abs(x); })};
  if (p == 2)
    return {f.sqrt(
        sumOverAll(f, inputs, f32, [&](Value x) { return f.mul(x, x); }))};
  bool isMaximum = std::isinf(p);
  Type element = isMaximum ? f32 : Type(builder.getF64Type());
  Value largest = overAll(
      f, inputs, element, [&](Value x) { return f.maxAll(f.abs(x)); },
      [&](Value total, Value part) { return f.maximum(total, part); });
  if (isMaximum)
    return {largest};
  return {f.cast(relativeNorm(f, inputs, largest, p, builder), f32)};
}
