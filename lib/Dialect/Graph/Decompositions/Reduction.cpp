// Family Reduction: formulas of the composites.
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "Decomposition.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

/// sum(x) / n in the compute type of input or result, the wider one.
SmallVector<Value> MeanOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  auto resultType = mlir::cast<RankedTensorType>(getResult().getType());
  Expr x = d.wide(getInput(), resultType.getElementType());
  int64_t count = 1;
  for (int64_t dim : getDims())
    count *= x.shape()[dim];
  Value total = SumOp::create(builder, x, getDims(), getKeepDims(),
                              /*dtype=*/mlir::TypeAttr());
  return {d.castTo(d(total) / double(count), resultType.getElementType())};
}

/// The index that comes out of a reduction over input and iota.
template <typename WithIndex, typename Op>
static Value decomposeArg(mlir::ImplicitLocOpBuilder &b, Op op) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Type index = mlir::getElementTypeOrSelf(op.getResult());
  int64_t dim = op.getDim();
  Value indices = IotaOp::create(b, type.clone(index), dim);
  return WithIndex::create(b, op.getInput(), indices, ArrayRef<int64_t>(dim),
                           op.getKeepDims())
      .getIndex();
}

SmallVector<Value> ArgmaxOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return {decomposeArg<MaxWithIndexOp>(builder, *this)};
}
SmallVector<Value> ArgminOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return {decomposeArg<MinWithIndexOp>(builder, *this)};
}

namespace {
using FoldTensor = function_ref<Expr(Expr)>;

/// Combines what `fold` makes of each input, in a shape with parallel rows.
Expr overAll(Decomposition &d, ValueRange inputs, Type element, FoldTensor fold,
             function_ref<Expr(Expr, Expr)> combine) {
  Expr total = d.constant(element, 0.0);
  for (Value input : inputs)
    total = combine(total, d.castTo(fold(inFoldShape(d(input))), element));
  return total;
}

Expr sumOverAll(Decomposition &d, ValueRange inputs, Type element,
                FoldTensor term) {
  return overAll(
      d, inputs, element, [&](Expr x) { return sumAll(term(x)); },
      [](Expr total, Expr part) { return total + part; });
}

/// largest * (sum (|x| / largest)^p)^(1/p): no power overflows, and none of the
/// largest elements underflows. A largest magnitude of 0, inf or NaN is the
/// norm itself.
Expr relativeNorm(Decomposition &d, ValueRange inputs, Expr largest, double p,
                  Type f64) {
  Expr most = d.castTo(largest, f64);
  Expr exponent = most.constant(p), zero = most.constant(0.0);
  Expr infinity = most.constant(std::numeric_limits<double>::infinity());
  Expr total = sumOverAll(d, inputs, f64, [&](Expr x) {
    return pow(abs(d.castTo(x, f64)) / most, exponent);
  });
  Expr norm = most * pow(total, most.constant(1.0 / p));
  Expr finite = select(less(most, infinity), norm, most);
  return select(equal(most, zero), most, finite);
}
} // namespace

/// p = 1: sum |x|;  p = 2: sqrt(sum x^2);  p = inf: max |x|;  else relative to
/// the largest magnitude
SmallVector<Value>
GlobalNormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type f32 = builder.getF32Type(), f64 = builder.getF64Type();
  double p = getNormType().convertToDouble();
  ValueRange inputs = getInputs();
  if (p == 1)
    return {sumOverAll(d, inputs, f32, [](Expr x) { return abs(x); })};
  if (p == 2)
    return {sqrt(sumOverAll(d, inputs, f32, [](Expr x) { return x * x; }))};
  bool isMaximum = std::isinf(p);
  Expr largest = overAll(
      d, inputs, isMaximum ? f32 : f64, [](Expr x) { return maxAll(abs(x)); },
      [](Expr total, Expr part) { return maximum(total, part); });
  if (isMaximum)
    return {largest};
  return {d.castTo(relativeNorm(d, inputs, largest, p, f64), f32)};
}
