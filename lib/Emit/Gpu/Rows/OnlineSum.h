// Sums that need not wait for the maximum they refer to.
//
// After m = max(x), the sum of exp(x - m) over the same row seems to need a
// second sweep. But with any other reference r it is off by the factor
// exp(r - m) only, so one sweep does: the sum refers to the largest element so
// far and is scaled when a larger one comes. What an op computes is asked of
// its body, not of its name.
#ifndef MPC_EMIT_GPU_ROWS_ONLINESUM_H
#define MPC_EMIT_GPU_ROWS_ONLINESUM_H

#include "mpc/Dialect/Graph/Analysis/KernelShape.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

namespace mpc::emit {

struct OnlineSum {
  ReductionOpInterface max, sum;
  /// Whether a few digits less will do.
  bool isApproximate = false;

  /// exp(x - reference), scalars or vectors, as the bodies of the group build
  /// it.
  Value buildElement(mlir::ImplicitLocOpBuilder &builder, Value x,
                     Value reference);
};

/// The online sums of a row group. None with strict rounding: a rounded
/// difference cannot be scaled afterwards.
SmallVector<OnlineSum> findOnlineSums(Block &body,
                                      const graph::KernelShape &shape);

} // namespace mpc::emit

#endif // MPC_EMIT_GPU_ROWS_ONLINESUM_H
