// What each sweep over the reduced dims of a kernel folds and stores. Results
// are stored when all values of the point have been computed, because a result
// may lie in the buffer of an operand.
#ifndef MPC_EMIT_SWEEPS_H
#define MPC_EMIT_SWEEPS_H

#include "PointEvaluator.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"

namespace mpc::emit {

/// How many sweeps over its reduced dims a kernel makes.
unsigned countSweeps(graph::GroupOp group, const graph::KernelShape &shape);

class Sweeps {
public:
  Sweeps(PointEvaluator &points, graph::GroupOp group,
         const graph::KernelShape &shape);

  /// Sweeps are numbered from 1 to `count()`.
  unsigned count() const { return numSweeps; }
  /// The reductions that `sweep` folds.
  SmallVector<ReductionOpInterface> getReductions(unsigned sweep);
  /// The results that `sweep` stores; 0: those stored once per item.
  SmallVector<unsigned> getResults(unsigned sweep) const;

  /// Stores the results of `sweep` at `scope`.
  void storeResults(Scope &scope, unsigned sweep);
  /// Folds and stores what `sweep` asks for at one point.
  void visitPoint(Scope &point, unsigned sweep,
                  MutableArrayRef<Value> accumulators);

private:
  PointEvaluator &points;
  graph::GroupOp group;
  const graph::KernelShape &shape;
  unsigned numSweeps;
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

#endif // MPC_EMIT_SWEEPS_H
