// Where everything of a session lies: one block of device memory, one of pinned
// host memory, planned before they are allocated. Offsets are multiples of 256.
//
//   device   state | arena | constants | inputs | two places where large inputs
//            arrive | tables of multi-tensor operations | workspace of kernels
//            | workspace of calls
//   pinned   two slots for inputs | the result ring of each entry | staging for
//            one output
#ifndef MPC_LIB_RUNTIME_CUDA_LAYOUT_H
#define MPC_LIB_RUNTIME_CUDA_LAYOUT_H

#include "mpc/Program/Operands.h"
#include "mpc/Runtime/Executor.h"

namespace mpc::runtime {

struct Region {
  uint64_t offset = 0, bytes = 0;
};

/// What the program does not say.
struct WorkspaceNeeds {
  uint64_t tables = 0, kernels = 0, calls = 0;
};

/// The inputs of an entry, one after the other, as in a slot so on the device.
struct InputPlan {
  std::vector<uint64_t> offsets; ///< by input
  uint64_t bytes = 0;

  /// Whether their way to the device takes longer (5 us at 25 GB/s, PCIe's
  /// rate) than what it costs to have them arrive beside the step before.
  bool arriveBeside() const { return bytes >= uint64_t(1) << 17; }
};

/// The small outputs of an entry and how they are fetched. Outputs that lie
/// close together are fetched by one copy.
struct ResultPlan {
  struct Fetch {
    uint64_t device; ///< in the block
    uint64_t host;   ///< in the slot of a run
    uint64_t bytes;
  };
  struct Output {
    uint64_t offset, bytes; ///< in the slot of a run
  };
  std::vector<Fetch> fetches;
  std::vector<std::optional<Output>> outputs; ///< none: too large
  uint64_t bytes = 0;                         ///< of a slot
};

class Layout {
public:
  Layout(const program::Program &program, const WorkspaceNeeds &needs);

  Region state, arena, constants, inputs, tables, kernelWorkspace,
      callWorkspace;
  Region arrivals[2]; ///< empty if no entry has large inputs
  uint64_t deviceBytes = 0;

  Region inputSlots[2];      ///< pinned
  std::vector<Region> rings; ///< by entry, pinned
  Region staging;            ///< pinned
  uint64_t pinnedBytes = 0;

  std::vector<InputPlan> inputPlans;   ///< by entry
  std::vector<ResultPlan> resultPlans; ///< by entry

  /// Offset of an argument of `entry` in the device block.
  uint64_t resolve(uint32_t entry, const program::Arg &arg) const;
  /// "state 1024, arena 0, ...": bytes of each region, for messages.
  std::string describe() const;

private:
  InputPlan planInputs(const program::Entry &entry) const;
  ResultPlan planResults(const program::Entry &entry, uint32_t index) const;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_LAYOUT_H
