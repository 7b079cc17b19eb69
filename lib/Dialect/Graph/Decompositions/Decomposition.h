// What the formulas of composites share, beside expressions themselves: the
// operands of the op as expressions, and the casts that name it.
//
//   Decomposition d(builder, *this);
//   Expr x = d.wide(getInput());
//   return {d.castTo(x * sigmoid(x), elementOf(getResult()))};
//
// Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_DECOMPOSITION_H
#define MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_DECOMPOSITION_H

#include "mpc/Dialect/Graph/IR/Expression.h"

namespace mpc::graph {

class Decomposition {
public:
  /// Builds at `builder`, which must outlive this; casts name `op`.
  Decomposition(mlir::ImplicitLocOpBuilder &builder, Operation *op);

  Expr operator()(Value value) const { return {builder, value}; }
  /// A constant of rank 0 of a float or integer type.
  Expr constant(Type element, double number) const;
  /// `value` in `element`; unchanged if it has that type.
  Expr castTo(Value value, Type element) const;
  /// `value` in its compute type: f16 and bf16 become f32.
  Expr wide(Value value) const;
  /// The same, but f64 if `element`, the type of a result, is: nothing is
  /// rounded to a narrower `dtype` before the result is.
  Expr wide(Value value, Type element) const;
  /// What casts say of themselves.
  StringAttr getReason() const { return reason; }

private:
  mlir::ImplicitLocOpBuilder &builder;
  StringAttr reason;
};

inline Type elementOf(Value value) { return mlir::getElementTypeOrSelf(value); }

/// `x` in the shape in which a tensor is folded to one number: its own for rank
/// 0 and for rank 2 and more; [n/k, k] for a rank-1 tensor that is long enough
/// to be worth several work items and divisible by a power of two k.
Expr inFoldShape(Expr x);

/// What a row of a parameter's gradient has at least where it is folded: a
/// kernel of 3 x 3 fills no vector.
constexpr int64_t kLeastRow = 64;

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_DECOMPOSITIONS_DECOMPOSITION_H
