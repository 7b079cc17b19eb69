// What a learning rate and a loss scale may be, wherever they come from: an
// option, an attribute of a model, a program, a checkpoint, a caller.
#ifndef MPC_SUPPORT_RANGES_H
#define MPC_SUPPORT_RANGES_H

#include <cmath>
#include <limits>
#include <string_view>

namespace mpc {

/// Whether a step with it leaves parameters finite, and goes downhill.
inline bool isLearningRate(float rate) {
  return rate >= 0 && std::isfinite(rate);
}

/// That, as what was expected.
constexpr std::string_view kLearningRateRange =
    "a finite learning rate of 0 or more";

/// Whether a loss can be multiplied by `scale` and its gradients divided by it:
/// both factors are f32, and neither may be 0 or infinite.
inline bool isLossScale(double scale) {
  if (!(scale > 0) || scale > std::numeric_limits<float>::max())
    return false;
  double rounded = static_cast<float>(scale);
  return rounded > 0 && 1 / rounded <= std::numeric_limits<float>::max();
}

/// That, as what was expected.
constexpr std::string_view kLossScaleRange =
    "a finite loss scale greater than 0 whose reciprocal is finite in f32";

} // namespace mpc

#endif // MPC_SUPPORT_RANGES_H
