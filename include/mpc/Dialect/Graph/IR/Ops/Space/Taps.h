// Linear maps along one dim, told by tables: each element of the result is a
// weighted sum of a few of the input. Their transposes are their gradients.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_SPACE_TAPS_H
#define MPC_DIALECT_GRAPH_IR_OPS_SPACE_TAPS_H

#include "mpc/Dialect/Graph/IR/Expression.h"

namespace mpc::graph {

struct Tap {
  int64_t from; ///< An index of the input.
  double weight;
};

/// Of each element of the result its taps, ascending by their index.
struct Taps {
  int64_t size; ///< Of the input.
  SmallVector<SmallVector<Tap, 2>> results;

  Taps transpose() const;
  /// `x`, of floats, with the map in the place of its dim `dim`, computed in
  /// `element`, to which elements are cast for `reason`. A tap of weight 0 adds
  /// nothing, whatever is there.
  Expr apply(Expr x, int64_t dim, Type element, StringAttr reason) const;
};

/// Sums of `count` elements of `x`, `distance` apart along `dim`: the j-th is
/// of j, j - distance, and so on, as far as they are there; size + (count - 1)
/// * distance of them. Where they are many, these are sums of sums.
Expr addRuns(Expr x, int64_t dim, int64_t count, int64_t distance);

/// The elements of `x` that `indices` name along `dim`: by a slice or a window,
/// where they lie at even distances.
Expr pickAlong(Expr x, int64_t dim, ArrayRef<int64_t> indices);

/// Of maps that copy elements, for dims from `firstDim` on of a tensor of
/// `shape`: the window that repeats elements as they say, if one does.
std::optional<expr::WindowShape>
asWindow(ArrayRef<int64_t> shape, int64_t firstDim, ArrayRef<Taps> maps);
/// The elements of `x` that they copy.
Expr pickAll(Expr x, int64_t firstDim, ArrayRef<Taps> maps);

/// `numbers` as a constant along dim `dim` of `rank`, of size 1 along others:
/// of i32, or of a float type.
Expr makeAlong(mlir::ImplicitLocOpBuilder &builder, Type element,
               ArrayRef<double> numbers, int64_t dim, int64_t rank);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_OPS_SPACE_TAPS_H
