// Formulas on tensors, written as formulas: gradients, decompositions, and what
// scaling and updates compute. An Expr is a value and the builder that extends
// it; operators build graph ops whose types are inferred and whose operands
// broadcast. Numbers become splat constants of rank 0, of the element type of
// the operand that they meet.
//
//   tanh:     dy * (1.0 - y * y)
//   softmax:  Expr powers = exp(x - max(x, {dim}));
//             powers * (1.0 / sum(powers, {dim}))
//
// Ops stand in the order in which C++ evaluates the formula.
#ifndef MPC_DIALECT_GRAPH_IR_EXPRESSION_H
#define MPC_DIALECT_GRAPH_IR_EXPRESSION_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

namespace mpc::graph::expr {

class Expr {
public:
  /// No value: what a formula leaves out.
  Expr() = default;
  /// `builder` must outlive the expressions that are made with it.
  Expr(mlir::ImplicitLocOpBuilder &builder, Value value)
      : b(&builder), v(value) {}

  operator Value() const { return v; } // NOLINT: an Expr is a value
  explicit operator bool() const { return static_cast<bool>(v); }
  mlir::ImplicitLocOpBuilder &builder() const { return *b; }
  RankedTensorType type() const { return cast<RankedTensorType>(v.getType()); }
  ArrayRef<int64_t> shape() const { return type().getShape(); }
  Type elementType() const { return type().getElementType(); }
  int64_t rank() const { return type().getRank(); }
  int64_t numElements() const { return type().getNumElements(); }

  /// `number` as a constant of rank 0 of this value's element type; of an
  /// integer type, `number` must be whole.
  Expr constant(double number) const;
  /// The same for integer types and i1, exact beyond 2^53.
  Expr integer(int64_t number) const;

private:
  mlir::ImplicitLocOpBuilder *b = nullptr;
  Value v;
};

/// `number` as a constant of rank 0 of type `element`, a float or an integer.
Expr constant(mlir::ImplicitLocOpBuilder &builder, Type element, double number);

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
Expr operator/(double a, Expr b);

Expr abs(Expr x);
Expr sign(Expr x);
Expr exp(Expr x);
Expr log(Expr x);
Expr sqrt(Expr x);
Expr rsqrt(Expr x);
Expr erf(Expr x);
Expr tanh(Expr x);
Expr sin(Expr x);
Expr cos(Expr x);
Expr sigmoid(Expr x);
Expr softplus(Expr x);
Expr pow(Expr base, Expr exponent);
Expr maximum(Expr a, Expr b);
Expr maximum(Expr a, double b);
Expr minimum(Expr a, Expr b);
Expr minimum(Expr a, double b);

// Comparisons give i1. Named, because == and < of values mean identity.
Expr equal(Expr a, Expr b);
Expr equal(Expr a, double b);
Expr notEqual(Expr a, Expr b);
Expr notEqual(Expr a, double b);
Expr less(Expr a, Expr b);
Expr less(Expr a, double b);
Expr lessEqual(Expr a, Expr b);
Expr greater(Expr a, Expr b);
Expr greater(Expr a, double b);
Expr greaterEqual(Expr a, Expr b);
/// Whether `x` is neither infinite nor NaN.
Expr isFinite(Expr x);

Expr select(Expr condition, Expr onTrue, Expr onFalse);
/// Of flags, which are i1. One that is no value is never set, and is the answer
/// where neither is one.
Expr either(Expr a, Expr b);
/// Of flags that are values.
Expr both(Expr a, Expr b);

/// Reductions that keep the reduced dims at size 1, so that the result
/// broadcasts against the input.
Expr sum(Expr x, ArrayRef<int64_t> dims);
Expr mean(Expr x, ArrayRef<int64_t> dims);
Expr max(Expr x, ArrayRef<int64_t> dims);
/// Over all dims to rank 0: first the last dim, or as many of the last ones as
/// have `leastRow` elements, then the others, so that the first and large part
/// is parallel over rows.
Expr sumAll(Expr x, int64_t leastRow = 1);
Expr maxAll(Expr x, int64_t leastRow = 1);

Expr softmax(Expr x, int64_t dim);
Expr logSoftmax(Expr x, int64_t dim);
Expr reshape(Expr x, ArrayRef<int64_t> shape);
Expr broadcast(Expr x, ArrayRef<int64_t> shape);
Expr transpose(Expr x, ArrayRef<int64_t> permutation);
Expr slice(Expr x, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes);
Expr slice(Expr x, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
           ArrayRef<int64_t> steps);
/// What a graph.window says, for each dim; no steps or spread: 1.
struct WindowShape {
  SmallVector<int64_t> offsets, sizes, steps = {}, spread = {};
  bool repeats = false, isLowest = false;
};
Expr window(Expr x, const WindowShape &shape);
/// Its transpose: of each element of an input of `sizes` the sum of all
/// elements of `y` that are copies of it, each as `widen` makes it if that is
/// given.
Expr seeBack(Expr y, const WindowShape &shape, ArrayRef<int64_t> sizes,
             function_ref<Expr(Expr)> widen = {});
Expr pad(Expr x, ArrayRef<int64_t> low, ArrayRef<int64_t> high);
Expr matmul(Expr a, bool transposeA, Expr b, bool transposeB);

/// Each summed over all ranks, in one message; of one element type.
SmallVector<Expr> sumsOverRanks(ArrayRef<Expr> values);
/// How many ranks there are, as one element of type `element`, a float. Of
/// shape [1]: a number of rank 0 would be merged with the seed of the backward,
/// in some places and not in others, and the ranks be asked twice.
Expr countRanks(mlir::ImplicitLocOpBuilder &builder, Type element);

/// `x` in `element`, unchanged if it is that already. `reason` null marks the
/// cast as the user's own, which no pass removes.
Expr castTo(Expr x, Type element, StringAttr reason);

/// The dims from `first` to the last.
SmallVector<int64_t> dimsFrom(int64_t first, int64_t rank);

} // namespace mpc::graph::expr

namespace mpc::graph {
using expr::Expr;
} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_EXPRESSION_H
