// When the buffers of an entry hold values that somebody still wants.
//
// Time is counted in steps: step t reads and writes at time t. A buffer is live
// from its first write to its last read, both included; outputs are live to
// the end of the entry, at time steps().size().
#ifndef MPC_DIALECT_EXEC_ANALYSIS_LIVENESS_H
#define MPC_DIALECT_EXEC_ANALYSIS_LIVENESS_H

#include "mpc/Dialect/Exec/IR/ExecOps.h"

namespace mpc::exec {

/// Buffers start at multiples of this.
constexpr int64_t kAlignment = 256;

/// `bytes` rounded up to the alignment.
constexpr int64_t alignUp(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

struct LiveBuffer {
  AllocOp alloc;
  int64_t bytes; ///< Rounded up to the alignment.
  int64_t first; ///< Time of the first write; -1 if it is never written.
  int64_t last;  ///< Time of the last access; at least `first`.
};

class Liveness {
public:
  explicit Liveness(EntryOp entry);

  ArrayRef<StepOpInterface> steps() const { return allSteps; }
  /// The allocations of the entry, in order.
  ArrayRef<LiveBuffer> buffers() const { return allBuffers; }
  /// Largest sum of bytes that are live at one time: no plan needs less.
  int64_t largestLiveSet() const { return peakBytes; }
  /// The first time at which that many are live.
  int64_t peakTime() const { return peak; }

private:
  SmallVector<StepOpInterface> allSteps;
  SmallVector<LiveBuffer> allBuffers;
  int64_t peakBytes = 0, peak = 0;
};

} // namespace mpc::exec

#endif // MPC_DIALECT_EXEC_ANALYSIS_LIVENESS_H
