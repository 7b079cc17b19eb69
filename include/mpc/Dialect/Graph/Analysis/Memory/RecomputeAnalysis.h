// What a step could compute again in its backward, what that would cost, and
// what it would save.
//
// A candidate is a value that the forward makes and the backward reads, with
// all that it takes to compute it from other such values, arguments and
// constants. Its price are the multiplications and additions of these ops. No
// candidate is a value that the backward reads before anything large has been
// computed since the forward read it last: nothing would be saved in between.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_MEMORY_RECOMPUTEANALYSIS_H
#define MPC_DIALECT_GRAPH_ANALYSIS_MEMORY_RECOMPUTEANALYSIS_H

#include "mpc/Dialect/Graph/Analysis/Memory/ForwardPart.h"

namespace mpc::graph {

struct RecomputeCandidate {
  /// In order; the last one makes the values that need not be kept.
  SmallVector<Operation *> ops;
  int64_t bytes = 0; ///< That these values have.
  double flops = 0;

  double bytesPerFlop() const { return static_cast<double>(bytes) / flops; }
};

class RecomputeAnalysis {
public:
  RecomputeAnalysis(mlir::func::FuncOp step, mlir::func::FuncOp forward);

  /// Those that save the most bytes per operation first; of equals, those whose
  /// values live longest.
  ArrayRef<RecomputeCandidate> getCandidates() const { return candidates; }
  /// Of all ops of the step.
  double getStepFlops() const { return stepFlops; }

private:
  SmallVector<RecomputeCandidate> candidates;
  double stepFlops = 0;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_MEMORY_RECOMPUTEANALYSIS_H
