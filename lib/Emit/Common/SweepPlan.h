// What each sweep over the reduced dims of a kernel folds and stores, decided
// from the group and its shape before anything is emitted. A sweep folds the
// reductions that wait for as many others as there are sweeps before it.
#ifndef MPC_EMIT_COMMON_SWEEPPLAN_H
#define MPC_EMIT_COMMON_SWEEPPLAN_H

#include "mpc/Dialect/Graph/Analysis/KernelShape.h"

namespace mpc::emit {

class SweepPlan {
public:
  SweepPlan(Block &body, const graph::KernelShape &shape);

  /// Sweeps are numbered from 1 to `count()`.
  unsigned count() const { return sweeps.size() - 1; }
  /// The reductions that `sweep` folds.
  ArrayRef<ReductionOpInterface> getReductions(unsigned sweep) const {
    return sweeps[sweep].reductions;
  }
  /// The results of the group that `sweep` stores; 0: those stored once per
  /// item, after all sweeps.
  ArrayRef<unsigned> getResults(unsigned sweep) const {
    return sweeps[sweep].results;
  }
  /// The results of the group that are folds in parts, to which `sweep` adds.
  ArrayRef<unsigned> getPartials(unsigned sweep) const {
    return sweeps[sweep].partials;
  }

private:
  struct Sweep {
    SmallVector<ReductionOpInterface> reductions;
    SmallVector<unsigned> results, partials;
  };
  SmallVector<Sweep> sweeps;
};

} // namespace mpc::emit

#endif // MPC_EMIT_COMMON_SWEEPPLAN_H
