// Loops whose sums cascade: the error of a running sum grows with the number of
// its terms, that of a sum of sums of sums with their logarithm.
//
//   for each block of 16 * 64 terms      adds at most 16 sums of blocks
//     for each block of 64 terms         adds at most 16 sums of blocks
//       for each term                    adds at most 64 terms
//
// A loop around another one hands it new accumulators and adds what comes back
// to its own. How many loops there are depends on the number of terms alone.
// The emitters of both targets use it; docs/Kernels.md ("Numbers") states the
// bound that follows.
#ifndef MPC_EMIT_COMMON_CASCADE_H
#define MPC_EMIT_COMMON_CASCADE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Interfaces/KernelOpInterfaces.h"

namespace mpc::emit {

/// How the iterations of a loop are divided into blocks.
struct Cascade {
  /// Iterations of the blocks that begin anew, the longest first; none: all
  /// iterations add to the same accumulators.
  SmallVector<int64_t> blocks;
  /// Additions that a number goes through, at most.
  int64_t depth = 0;

  /// One loop of at most `iterations`, each of which adds `terms` numbers, one
  /// after the other, to each accumulator.
  static Cascade makePlain(int64_t iterations, int64_t terms) {
    return {{}, iterations * terms};
  }
  /// Such a loop, as a cascade if it is long.
  static Cascade choose(int64_t iterations, int64_t terms);
};

/// Whether the order in which `op` folds changes the outcome.
bool dependsOnOrder(ReductionOpInterface op);

/// What the loops of a cascade do. The builder stands where the ops belong.
struct CascadeBody {
  using Accumulators = SmallVector<Value>;

  /// Makes the accumulators of a new block.
  function_ref<Accumulators()> begin;
  /// Adds those of a block that has ended to `totals`.
  function_ref<void(Accumulators &totals, ValueRange block)> add;
  /// An iteration, in the body of `loop`, whose induction variable is its
  /// number. What all iterations share is to stand before `outermost`.
  function_ref<Accumulators(mlir::scf::ForOp outermost, mlir::scf::ForOp loop,
                            Accumulators accumulators)>
      fill;
};

/// Emits the loops over `from`, `from` + `step`, ... below `to`, and gives what
/// has become of `accumulators`. The builder ends after the loops.
SmallVector<Value> buildCascade(mlir::ImplicitLocOpBuilder &builder,
                                const Cascade &cascade, Value from, Value to,
                                int64_t step, ValueRange accumulators,
                                const CascadeBody &body);

} // namespace mpc::emit

#endif // MPC_EMIT_COMMON_CASCADE_H
