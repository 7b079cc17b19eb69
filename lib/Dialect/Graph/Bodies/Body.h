// What the bodies of elementwise ops share: the arithmetic of one element, or
// of a vector of them, in the compute type.
//
// Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_BODIES_BODY_H
#define MPC_LIB_DIALECT_GRAPH_BODIES_BODY_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {
using Body = mlir::ImplicitLocOpBuilder;

bool isFloat(Value value);
/// `number` in the type of `like`, repeated if that is a vector.
Value constant(Body &b, Value like, double number);

Value add(Body &b, Value x, Value y);
Value mul(Body &b, Value x, Value y);
Value div(Body &b, Value x, Value y);
/// NaN if one of them is.
Value maximum(Body &b, Value x, double bound);
Value minimum(Body &b, Value x, double bound);
/// Whether `x` is greater than 0; NaN is not.
Value isPositive(Body &b, Value x);
Value select(Body &b, Value condition, Value onTrue, Value onFalse);
/// e^-|x|, which does not overflow.
Value expOfNegatedMagnitude(Body &b, Value x);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_BODIES_BODY_H
