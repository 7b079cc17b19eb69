// What gradient rules share: the questions that they ask, as expressions.
//
//   tanh:  Expr y = result(g);
//          g.set(0, cotangent(g) * (1.0 - y * y));
#ifndef MPC_LIB_DIALECT_GRAPH_GRADIENTS_RULE_H
#define MPC_LIB_DIALECT_GRAPH_GRADIENTS_RULE_H

#include "mpc/Dialect/Graph/IR/Expression.h"

namespace mpc::graph::gradient {
using namespace expr;

Expr operand(GradientBuilder &g, unsigned index);
Expr result(GradientBuilder &g, unsigned index = 0);
Expr cotangent(GradientBuilder &g, unsigned index = 0);

/// `x` in `element`, because the gradient is computed there.
Expr computedIn(Expr x, Type element);
/// f64 stays; every other type becomes f32.
Expr widened(Expr x);

} // namespace mpc::graph::gradient

#endif // MPC_LIB_DIALECT_GRAPH_GRADIENTS_RULE_H
