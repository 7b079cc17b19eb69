// Reverse-mode differentiation of one block, without knowing any op.
//
// The sweep walks the ops from last to first. Each op that has a cotangent on
// a result and depends on a parameter is asked for its vector-Jacobian product
// (DifferentiableOpInterface); the answers are added up per operand. Here, and
// nowhere else: sums over broadcast dims, casts between the type of a rule and
// the types of the graph, zeros for results that nobody uses, and what those
// zeros lead to, which is zeros.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTODIFF_REVERSESWEEP_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTODIFF_REVERSESWEEP_H

#include "ActiveValues.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mpc::graph {

/// Whether `value` is a constant of zeros, or a view of one.
bool isZeroCotangent(Value value);

class ScanGradient;

class ReverseSweep {
public:
  /// Differentiates with respect to `parameters`, arguments of the block.
  /// Builds where `builder` stands: after every op of the forward pass.
  ReverseSweep(OpBuilder builder, ValueRange parameters);

  /// Sweeps the ops before the insertion point, starting from `seed`, the
  /// cotangent of `loss`. Fails after an error at an op without a gradient.
  LogicalResult run(Value loss, Value seed);

  /// What the loss changes by per change of `value`, in the type of `value`;
  /// null if the loss does not depend on it. A constant of zeros if it depends
  /// on it by what is 0 whatever the loss is: that is a constant all the way,
  /// and no rule sees it.
  Value cotangentOf(Value value) const { return cotangents.lookup(value); }

private:
  class OpGradient;

  void findActive(Block &block);
  /// Of the body of a scan that goes back: sweeps all its ops, from the
  /// cotangents `seeds` of `values`.
  LogicalResult sweepBody(Block &body, ValueRange values, ValueRange seeds,
                          Value loss);
  LogicalResult differentiateScan(Operation &op, Value loss);
  void addZeros(const ScanGradient &scan, mlir::ImplicitLocOpBuilder &at);
  LogicalResult differentiate(Operation &op, Value loss);
  LogicalResult reportMissing(Operation &op, Value loss);
  LogicalResult accumulate(OpOperand &operand, Value contribution,
                           mlir::ImplicitLocOpBuilder &at);
  /// The same of zeros.
  void addZeros(Value primal, mlir::ImplicitLocOpBuilder &at);
  /// The cotangent of `value` if it is there and no constant of zeros.
  Value lookUp(Value value) const;

  OpBuilder builder;
  SmallVector<Value> parameters;
  Origins origin;
  DenseMap<Value, Value> cotangents;
  /// f32 versions of 16-bit values that rules asked for.
  DenseMap<Value, Value> widened;
};

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTODIFF_REVERSESWEEP_H
