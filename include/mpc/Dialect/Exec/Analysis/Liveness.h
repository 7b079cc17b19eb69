// When the buffers of an entry hold values that somebody still wants.
//
// Time is counted in steps: step t reads and writes at time t. A buffer is live
// from its first write to its last read, both included; outputs are live to
// the end of the entry, at time steps().size().
#ifndef MPC_DIALECT_EXEC_ANALYSIS_LIVENESS_H
#define MPC_DIALECT_EXEC_ANALYSIS_LIVENESS_H

#include "mpc/Dialect/Exec/Analysis/Placement.h"
#include "mpc/Dialect/Exec/IR/ExecOps.h"

namespace mpc::exec {

/// Buffers start at multiples of this.
constexpr int64_t kAlignment = 256;

/// `bytes` rounded up to the alignment.
constexpr int64_t alignUp(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// From its first write, -1 if it is never written, to its last access, at
/// least `first`; bytes are rounded up to the alignment.
struct LiveBuffer : Lifetime {
  AllocOp alloc;

  bool isLiveAt(int64_t time) const {
    return first >= 0 && first <= time && time <= last;
  }
};

class Liveness {
public:
  explicit Liveness(EntryOp entry);

  ArrayRef<StepOpInterface> steps() const { return allSteps; }
  /// The allocations of the entry, in order.
  ArrayRef<LiveBuffer> buffers() const { return allBuffers; }
  const Peak &getPeak() const { return peak; }

private:
  SmallVector<StepOpInterface> allSteps;
  SmallVector<LiveBuffer> allBuffers;
  Peak peak;
};

} // namespace mpc::exec

#endif // MPC_DIALECT_EXEC_ANALYSIS_LIVENESS_H
