// Numbers of a random stream by vectors, once for each instruction set that is
// worth it; all to the same bits.
#ifndef MPC_LIB_RUNTIME_SESSION_RANDOM_RANDOMKERNELS_H
#define MPC_LIB_RUNTIME_SESSION_RANDOM_RANDOMKERNELS_H

#include "mpc/Runtime/Random.h"

namespace mpc::runtime {

/// Numbers that a kernel makes at a time.
constexpr uint64_t kGroup = 16;

struct RandomKernels {
  /// Writes `groups` groups of numbers, from number `group` * kGroup on.
  using Kernel = void (*)(const StreamKey &stream, uint64_t group,
                          uint64_t groups, double *to);
  Kernel uniform, normal;
};

extern const RandomKernels kBaselineRandom, kAvx2Random;

/// The fastest that the processor runs.
const RandomKernels &getRandomKernels();

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_SESSION_RANDOM_RANDOMKERNELS_H
