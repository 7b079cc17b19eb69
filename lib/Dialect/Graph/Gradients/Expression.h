// Formulas of gradient rules, written as formulas. An Expr is a value and the
// builder that extends it; operators build graph ops whose types are inferred
// and whose operands broadcast. Numbers become splat constants of the other
// operand's element type.
//
//   tanh:  g.set(0, dy * (1.0 - y * y));
#ifndef MPC_DIALECT_GRAPH_GRADIENTS_EXPRESSION_H
#define MPC_DIALECT_GRAPH_GRADIENTS_EXPRESSION_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

namespace mpc::graph::gradient {

class Expr {
public:
  Expr(mlir::ImplicitLocOpBuilder &builder, Value value)
      : b(&builder), v(value) {}

  operator Value() const { return v; } // NOLINT: an Expr is a value
  mlir::ImplicitLocOpBuilder &builder() const { return *b; }
  RankedTensorType type() const { return cast<RankedTensorType>(v.getType()); }
  ArrayRef<int64_t> shape() const { return type().getShape(); }
  Type elementType() const { return type().getElementType(); }
  int64_t rank() const { return type().getRank(); }
  int64_t numElements() const { return type().getNumElements(); }

  /// A rank-0 constant of this value's element type, a float.
  Expr constant(double number) const;
  /// A rank-0 constant of this value's element type, an integer or i1.
  Expr integer(int64_t number) const;

private:
  mlir::ImplicitLocOpBuilder *b;
  Value v;
};

// The questions of a rule, as expressions.
Expr operand(GradientBuilder &g, unsigned index);
Expr result(GradientBuilder &g, unsigned index = 0);
Expr cotangent(GradientBuilder &g, unsigned index = 0);

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator+(Expr a, double b);
Expr operator-(Expr a, double b);
Expr operator*(Expr a, double b);
Expr operator/(Expr a, double b);
Expr operator+(double a, Expr b);
Expr operator-(double a, Expr b);
Expr operator*(double a, Expr b);

Expr exp(Expr x);
Expr log(Expr x);
Expr rsqrt(Expr x);
Expr erf(Expr x);
Expr tanh(Expr x);
Expr pow(Expr base, Expr exponent);

// Comparisons give i1. Named, because == and < of values mean identity.
Expr equal(Expr a, Expr b);
Expr notEqual(Expr a, Expr b);
Expr less(Expr a, Expr b);
Expr lessEqual(Expr a, Expr b);
Expr greater(Expr a, Expr b);
Expr greaterEqual(Expr a, Expr b);
Expr select(Expr condition, Expr onTrue, Expr onFalse);

/// Reductions that keep the reduced dims at size 1, so that the result
/// broadcasts against the input.
Expr sum(Expr x, ArrayRef<int64_t> dims);
Expr mean(Expr x, ArrayRef<int64_t> dims);

Expr softmax(Expr x, int64_t dim);
Expr reshape(Expr x, ArrayRef<int64_t> shape);
Expr broadcast(Expr x, ArrayRef<int64_t> shape);
Expr transpose(Expr x, ArrayRef<int64_t> permutation);
Expr slice(Expr x, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes);
Expr pad(Expr x, ArrayRef<int64_t> low, ArrayRef<int64_t> high);
Expr matmul(Expr a, bool transposeA, Expr b, bool transposeB);

/// `x` in `element`, unchanged if it is that already. `reason` null marks the
/// cast as the user's own, which no pass removes.
Expr castTo(Expr x, Type element, StringAttr reason);
/// `x` in `element`, because the gradient is computed there.
Expr castTo(Expr x, Type element);
/// f64 stays; every other type becomes f32.
Expr widened(Expr x);

/// The dims from `first` to the last.
SmallVector<int64_t> dimsFrom(int64_t first, int64_t rank);

} // namespace mpc::graph::gradient

#endif // MPC_DIALECT_GRAPH_GRADIENTS_EXPRESSION_H
