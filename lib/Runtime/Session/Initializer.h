// First values of state tensors.
#ifndef MPC_LIB_RUNTIME_SESSION_INITIALIZER_H
#define MPC_LIB_RUNTIME_SESSION_INITIALIZER_H

#include "mpc/Program/Program.h"

namespace mpc::runtime {

/// Fills `piece`, the bytes of `state` from `offset` on, which is a multiple of
/// 16; on any thread. Derived states get zeros; the
/// entry "init" gives them their values.
void initializeState(const program::State &state, uint64_t seed,
                     uint64_t offset, std::span<uint8_t> piece);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_SESSION_INITIALIZER_H
