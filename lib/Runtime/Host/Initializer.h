// First values of state tensors.
#ifndef MPC_LIB_RUNTIME_HOST_INITIALIZER_H
#define MPC_LIB_RUNTIME_HOST_INITIALIZER_H

#include "mpc/Program/Program.h"

namespace mpc::runtime {

/// Writes all elements of `state` at `data`. Derived states get zeros; the
/// entry "init" gives them their values.
void initializeState(const program::State &state, uint64_t seed, uint8_t *data);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_INITIALIZER_H
