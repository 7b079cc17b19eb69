// Writes what a kernel's sweeps fold and store at a point. Results are stored
// when all values of the point have been computed, because a result may lie in
// the buffer of an operand.
#ifndef MPC_EMIT_COMMON_SWEEPS_H
#define MPC_EMIT_COMMON_SWEEPS_H

#include "PointEvaluator.h"
#include "SweepPlan.h"

namespace mpc::emit {

class Sweeps {
public:
  /// Both must outlive this.
  Sweeps(PointEvaluator &points, const SweepPlan &plan)
      : points(points), plan(plan) {}

  /// Stores the results of `sweep` at `scope`.
  void storeResults(Scope &scope, unsigned sweep);
  /// Folds what `sweep` asks for at one point.
  void foldPoint(Scope &point, unsigned sweep,
                 MutableArrayRef<Value> accumulators);
  /// Folds and stores what `sweep` asks for at one point. What is folded in
  /// parts is added to the part where it lies.
  void visitPoint(Scope &point, unsigned sweep,
                  MutableArrayRef<Value> accumulators);

private:
  PointEvaluator &points;
  const SweepPlan &plan;
};

/// The reduced dims, outermost first, with or without the axis.
SmallVector<unsigned> getReducedDims(const graph::KernelShape &shape,
                                     bool withAxis);

/// A number below the product of `sizes` as one index per size, the last
/// running fastest.
SmallVector<Value> divideNumber(PointEvaluator &points,
                                mlir::ImplicitLocOpBuilder &builder,
                                Value number, ArrayRef<int64_t> sizes);

} // namespace mpc::emit

#endif // MPC_EMIT_COMMON_SWEEPS_H
