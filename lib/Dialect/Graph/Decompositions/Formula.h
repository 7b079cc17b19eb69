// The language in which composites are written down: one short method per
// graph op, so that a decomposition reads like its formula.
//
// Scalars are rank-0 splat constants of the same element type as the value
// they meet; they broadcast. Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_FORMULA_H
#define MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_FORMULA_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

namespace mpc::graph {

class Formula {
public:
  /// Builds at `builder`; casts name `op` in their reason.
  Formula(mlir::ImplicitLocOpBuilder &builder, Operation *op);

  //===-- Numbers -----------------------------------------------------------//

  /// Rank-0 constant `number` of type `element` (float or integer).
  Value constant(double number, Type element);
  /// Rank-0 constant of the element type of `value`.
  Value like(Value value, double number);
  /// `value` converted to `element`; unchanged if it has that type.
  Value cast(Value value, Type element);
  /// `value` in its compute type: f16 and bf16 become f32.
  Value wide(Value value);
  /// The same, but f64 if `element`, the type of a result, is: nothing is
  /// rounded to a narrower `dtype` before the result is.
  Value wide(Value value, Type element);

  //===-- Elementwise -------------------------------------------------------//

  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value div(Value lhs, Value rhs);
  Value pow(Value base, Value exponent);
  Value maximum(Value lhs, Value rhs);
  Value minimum(Value lhs, Value rhs);
  Value abs(Value value);
  Value exp(Value value);
  Value log(Value value);
  Value sqrt(Value value);
  Value rsqrt(Value value);
  Value compare(ComparePredicate predicate, Value lhs, Value rhs);
  Value select(Value condition, Value onTrue, Value onFalse);

  //===-- Reductions and movements -----------------------------------------//

  /// Over `dims`, which stay with size 1.
  Value sumKept(Value value, ArrayRef<int64_t> dims);
  Value maxKept(Value value, ArrayRef<int64_t> dims);
  /// Over all dims to rank 0: first the last dim, then the others, so that the
  /// first and large part is parallel over rows.
  Value sumAll(Value value);
  Value maxAll(Value value);
  Value reshape(Value value, ArrayRef<int64_t> shape);

private:
  mlir::ImplicitLocOpBuilder &builder;
  StringAttr reason;
};

/// The shape in which a tensor is folded to one number: itself for rank 0 and
/// for rank 2 and more; [n/k, k] for a rank-1 tensor that is long enough to be
/// worth several work items and divisible by a power of two k.
SmallVector<int64_t> getFoldShape(ArrayRef<int64_t> shape);

/// The dims [first, rank).
SmallVector<int64_t> dimsFrom(int64_t first, int64_t rank);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_FORMULA_H
