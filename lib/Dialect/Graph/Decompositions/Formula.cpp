#include "Formula.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"

using namespace mpc;
using namespace mpc::graph;

Formula::Formula(mlir::ImplicitLocOpBuilder &builder, Operation *op)
    : builder(builder), reason(builder.getStringAttr(
                            "decomposed: " + op->getName().stripDialect())) {}

Value Formula::constant(double number, Type element) {
  auto type = RankedTensorType::get({}, element);
  Attribute attr =
      isa<FloatType>(element)
          ? Attribute(builder.getFloatAttr(element, number))
          : Attribute(builder.getIntegerAttr(element, int64_t(number)));
  return ConstantOp::create(builder, mlir::DenseElementsAttr::get(type, attr));
}

Value Formula::like(Value value, double number) {
  return constant(number, mlir::getElementTypeOrSelf(value));
}

Value Formula::cast(Value value, Type element) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return CastOp::create(builder, type.clone(element), value, reason);
}

Value Formula::wide(Value value) {
  return cast(value, getComputeType(mlir::getElementTypeOrSelf(value)));
}

Value Formula::wide(Value value, Type element) {
  Value x = wide(value);
  return element.isF64() ? cast(x, element) : x;
}

Value Formula::add(Value lhs, Value rhs) {
  return AddOp::create(builder, lhs, rhs);
}
Value Formula::sub(Value lhs, Value rhs) {
  return SubOp::create(builder, lhs, rhs);
}
Value Formula::mul(Value lhs, Value rhs) {
  return MulOp::create(builder, lhs, rhs);
}
Value Formula::div(Value lhs, Value rhs) {
  return DivOp::create(builder, lhs, rhs);
}
Value Formula::pow(Value base, Value exponent) {
  return PowOp::create(builder, base, exponent);
}
Value Formula::maximum(Value lhs, Value rhs) {
  return MaximumOp::create(builder, lhs, rhs);
}
Value Formula::minimum(Value lhs, Value rhs) {
  return MinimumOp::create(builder, lhs, rhs);
}
Value Formula::abs(Value value) { return AbsOp::create(builder, value); }
Value Formula::exp(Value value) { return ExpOp::create(builder, value); }
Value Formula::log(Value value) { return LogOp::create(builder, value); }
Value Formula::sqrt(Value value) { return SqrtOp::create(builder, value); }
Value Formula::rsqrt(Value value) { return RsqrtOp::create(builder, value); }
Value Formula::compare(ComparePredicate predicate, Value lhs, Value rhs) {
  return CompareOp::create(builder, predicate, lhs, rhs);
}
Value Formula::select(Value condition, Value onTrue, Value onFalse) {
  return SelectOp::create(builder, condition, onTrue, onFalse);
}

Value Formula::sumKept(Value value, ArrayRef<int64_t> dims) {
  return SumOp::create(builder, value, dims, /*keep_dims=*/true,
                       /*dtype=*/mlir::TypeAttr());
}
Value Formula::maxKept(Value value, ArrayRef<int64_t> dims) {
  return MaxOp::create(builder, value, dims, /*keep_dims=*/true);
}

namespace {
int64_t getRank(Value value) {
  return mlir::cast<RankedTensorType>(value.getType()).getRank();
}

/// Folds the last dim, then the others, with `fold(value, dims)`.
Value foldAll(Value value, function_ref<Value(Value, ArrayRef<int64_t>)> fold) {
  int64_t rank = getRank(value);
  if (rank == 0)
    return value;
  value = fold(value, {rank - 1});
  return rank == 1 ? value : fold(value, dimsFrom(0, rank - 1));
}
} // namespace

Value Formula::sumAll(Value value) {
  return foldAll(value, [&](Value part, ArrayRef<int64_t> dims) -> Value {
    return SumOp::create(builder, part, dims, /*keep_dims=*/false,
                         /*dtype=*/mlir::TypeAttr());
  });
}
Value Formula::maxAll(Value value) {
  return foldAll(value, [&](Value part, ArrayRef<int64_t> dims) -> Value {
    return MaxOp::create(builder, part, dims, /*keep_dims=*/false);
  });
}

Value Formula::reshape(Value value, ArrayRef<int64_t> shape) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return ReshapeOp::create(builder, type.clone(shape), value);
}

SmallVector<int64_t> graph::getFoldShape(ArrayRef<int64_t> shape) {
  constexpr int64_t kLongest = 1024, kShortest = 64;
  if (shape.size() == 1 && shape[0] >= 2 * kLongest)
    for (int64_t row = kLongest; row >= kShortest; row /= 2)
      if (shape[0] % row == 0)
        return {shape[0] / row, row};
  return SmallVector<int64_t>(shape);
}

SmallVector<int64_t> graph::dimsFrom(int64_t first, int64_t rank) {
  return llvm::to_vector(llvm::seq(first, rank));
}
