// What all parts of the update share: the step function that is extended, its
// signature, and the few values that every part builds.
//
// New ops stand in front of the return; arguments and results become part of
// the function type when `signature.finish()` is called, once, at the end.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_UPDATE_STEPBUILDER_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_UPDATE_STEPBUILDER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Dialect/Graph/IR/Expression.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"

namespace mpc::graph {

struct StepBuilder {
  explicit StepBuilder(mlir::func::FuncOp func);

  /// `value` in formulas; null: no value.
  Expr operator()(Value value) { return {builder, value}; }
  /// Rank-0 constant of a float or integer type.
  Expr constant(Type element, double value);
  /// `value` in another float type; itself if it has that type.
  Expr castTo(Value value, Type element);
  /// `old` where `skip` is set, bit for bit, else `next`. A null `skip` is
  /// never set.
  Expr keep(Value skip, Value old, Value next);
  /// A new i32 state that starts at 0, of parameter group `group`. Fails, after
  /// an error, where the name is taken.
  FailureOr<Value> addCounter(StringRef name, Role role, StringRef group = "");

  mlir::func::FuncOp func;
  SignatureEditor signature;
  mlir::ImplicitLocOpBuilder builder;
};

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_UPDATE_STEPBUILDER_H
