// Which kernels of attention the processor runs.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_INSTRUCTIONSETS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_INSTRUCTIONSETS_H

#include "Heads.h"

#include <string_view>
#include <vector>

namespace mpc::runtime::attention {

struct InstructionSet {
  std::string_view name;
  const HeadKernels *kernels;
};

/// For operands of `type`, the fastest last. Asks Linux for tiles, which a
/// process must (arch_prctl, ARCH_REQ_XCOMP_PERM).
std::vector<InstructionSet> findInstructionSets(Element type);

} // namespace mpc::runtime::attention

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_INSTRUCTIONSETS_H
