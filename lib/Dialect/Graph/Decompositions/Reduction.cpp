// Family Reduction: formulas of the composites.
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "Decomposition.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

/// `x`, in which reduced dims have size 1, as the result of `op`.
template <typename Op> static Value asResult(Decomposition &d, Op op, Expr x) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  return d.castTo(reshape(x, type.getShape()), type.getElementType());
}

/// sum(x) / n in the compute type of input or result, the wider one. Of a large
/// tensor rows are summed first, as losses do: one sum would be one work item.
SmallVector<Value> MeanOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  auto resultType = mlir::cast<RankedTensorType>(getResult().getType());
  Expr x = d.wide(getInput(), resultType.getElementType());
  int64_t count = countReduced(x.shape(), getDims());
  constexpr int64_t large = 1 << 14;
  if (count >= large && count == x.numElements())
    return {asResult(d, *this, sumAll(x, kLeastRow) / double(count))};
  Value total = SumOp::create(builder, x, getDims(), getKeepDims(),
                              /*dtype=*/mlir::TypeAttr());
  return {d.castTo(d(total) / double(count), resultType.getElementType())};
}

/// -max(-x); of integers, whose smallest has no opposite, -1 - max(-1 - x).
SmallVector<Value> MinOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d(getInput());
  bool isFloat = isa<FloatType>(x.elementType());
  auto mirror = [&](Expr y) { return isFloat ? -y : -1.0 - y; };
  Value most = MaxOp::create(builder, mirror(x), getDims(), getKeepDims());
  return {mirror(d(most))};
}

/// The flags as integers, for kernels have no flags as accumulators: the
/// largest is 1 if one is set.
static Value isAnySet(Decomposition &d, mlir::ImplicitLocOpBuilder &builder,
                      Value flags, ArrayRef<int64_t> dims, bool keepDims) {
  Expr numbers = d.castTo(flags, builder.getI32Type());
  return MaxOp::create(builder, numbers, dims, keepDims);
}

SmallVector<Value> AnyOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Value most = isAnySet(d, builder, getInput(), getDims(), getKeepDims());
  return {notEqual(d(most), 0.0)};
}
SmallVector<Value> AllOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Value isUnset = LogicalNotOp::create(builder, getInput());
  Value most = isAnySet(d, builder, isUnset, getDims(), getKeepDims());
  return {equal(d(most), 0.0)};
}

/// sum of parts; a part is the sum of `rowsPerPart` rows
Value SumOp::foldInParts(mlir::ImplicitLocOpBuilder &builder,
                         int64_t rowsPerPart) {
  Decomposition d(builder, *this);
  Value parts =
      PartialSumOp::create(builder, getInput(), getDims(), rowsPerPart);
  Value total = SumOp::create(builder, parts, ArrayRef<int64_t>{0},
                              /*keep_dims=*/false, /*dtype=*/mlir::TypeAttr());
  return asResult(d, *this, d(total));
}

/// log(sum exp(x - m)) + m, with m the largest, or 0 where that is infinite.
SmallVector<Value> LogsumexpOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d.wide(getInput()), largest = max(x, getDims());
  Expr shift = select(isFinite(largest), largest, x.constant(0.0));
  Expr y = log(sum(exp(x - shift), getDims())) + shift;
  return {asResult(d, *this, y)};
}

/// sum((x - mean)^2) / (n - correction). Two passes: one would cancel.
SmallVector<Value> VarOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d.wide(getInput());
  auto count = static_cast<double>(countReduced(x.shape(), getDims()));
  Expr centered = x - sum(x, getDims()) / count;
  Expr squares = sum(centered * centered, getDims());
  return {asResult(d, *this, squares / (count - double(getCorrection())))};
}

/// p = 1: sum |x|;  p = 2: sqrt(sum x^2);  p = inf: max |x|;
/// else (sum |x|^p)^(1/p)
SmallVector<Value> NormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d.wide(getInput());
  double p = getP().convertToDouble();
  if (p == 1)
    return {asResult(d, *this, sum(abs(x), getDims()))};
  if (p == 2)
    return {asResult(d, *this, sqrt(sum(x * x, getDims())))};
  if (std::isinf(p))
    return {asResult(d, *this, max(abs(x), getDims()))};
  Expr total = sum(pow(abs(x), x.constant(p)), getDims());
  return {asResult(d, *this, pow(total, x.constant(1 / p)))};
}

/// `x` moved by `step` along `dim`, to the end or to the start, with zeros
/// where nothing came from.
static Expr shift(Expr x, int64_t dim, int64_t step, bool toStart) {
  int64_t size = x.shape()[dim];
  if (step >= size)
    return broadcast(x.constant(0), x.shape());
  SmallVector<int64_t> none(x.rank(), 0), offsets = none, zeros = none;
  SmallVector<int64_t> sizes(x.shape());
  offsets[dim] = toStart ? step : 0;
  sizes[dim] = size - step;
  zeros[dim] = step;
  return pad(slice(x, offsets, sizes), toStart ? none : zeros,
             toStart ? zeros : none);
}

/// Sums of 1, 2, 4, ... elements before each, until they are those of all
/// (Hillis and Steele, Data parallel algorithms, 1986).
SmallVector<Value> CumsumOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type element = elementOf(getResult());
  int64_t dim = getDim();
  Expr x = d.wide(getInput(), element);
  if (getExclusive())
    x = shift(x, dim, 1, getReverse());
  for (int64_t step = 1; step < x.shape()[dim]; step *= 2)
    x = x + shift(x, dim, step, getReverse());
  return {d.castTo(x, element)};
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
      d, inputs, element, [&](Expr x) { return sumAll(term(x), kLeastRow); },
      [](Expr total, Expr part) { return total + part; });
}

bool isNumber(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements() == 1;
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
/// the largest magnitude. Of numbers alone, as norms of lists are, the squares
/// are f64: none overflows there that is a number of f32, or becomes zero.
SmallVector<Value>
GlobalNormOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type f32 = builder.getF32Type(), f64 = builder.getF64Type();
  double p = getNormType().convertToDouble();
  ValueRange inputs = getInputs();
  if (p == 1)
    return {sumOverAll(d, inputs, f32, [](Expr x) { return abs(x); })};
  if (p == 2 && llvm::all_of(inputs, isNumber)) {
    Expr total = sumOverAll(d, inputs, f64, [&](Expr x) {
      Expr wide = d.castTo(x, f64);
      return wide * wide;
    });
    return {d.castTo(sqrt(total), f32)};
  }
  if (p == 2)
    return {sqrt(sumOverAll(d, inputs, f32, [](Expr x) { return x * x; }))};
  bool isMaximum = std::isinf(p);
  Expr largest = overAll(
      d, inputs, isMaximum ? f32 : f64,
      [](Expr x) { return maxAll(abs(x), kLeastRow); },
      [](Expr total, Expr part) { return maximum(total, part); });
  if (isMaximum)
    return {largest};
  return {d.castTo(relativeNorm(d, inputs, largest, p, f64), f32)};
}
