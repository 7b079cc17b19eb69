// Which records of an entry run a call with an operand that is as it was when
// an earlier record ran the same call: of a loop over time the right matrix of
// each product. The call brings it into another layout once for all of them.
#ifndef MPC_LIB_RUNTIME_HOST_KEPTOPERANDS_H
#define MPC_LIB_RUNTIME_HOST_KEPTOPERANDS_H

#include "mpc/Runtime/HostCall.h"

#include <span>
#include <vector>

namespace mpc::runtime {

/// A record that runs a call with a kept operand.
struct KeptUse {
  uint32_t record;
  uint64_t offset; ///< of what the call has made, in the memory of the plan
  bool isFirst;    ///< The call makes it before it runs.
};

struct KeptPlan {
  std::vector<KeptUse> uses; ///< by record
  uint64_t bytes = 0;        ///< that what is kept at the same time takes
};

/// Reads what records write, so the program is verified. `calls`: by number;
/// those that it plans for are prepared.
KeptPlan planKeptOperands(const program::Program &program,
                          const program::Entry &entry,
                          std::span<const std::unique_ptr<HostCall>> calls);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_KEPTOPERANDS_H
