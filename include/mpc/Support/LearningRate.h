// What a learning rate may be, wherever one comes from at run time: a program,
// a checkpoint, a caller.
#ifndef MPC_SUPPORT_LEARNINGRATE_H
#define MPC_SUPPORT_LEARNINGRATE_H

#include <cmath>
#include <string_view>

namespace mpc {

/// Whether a step with it leaves parameters finite, and goes downhill.
inline bool isLearningRate(float rate) {
  return rate >= 0 && std::isfinite(rate);
}

/// That, as what was expected.
constexpr std::string_view kLearningRateRange =
    "a finite learning rate of 0 or more";

} // namespace mpc

#endif // MPC_SUPPORT_LEARNINGRATE_H
