// What a loss scale may be, wherever one comes from: an option, an attribute of
// a model, a checkpoint.
#ifndef MPC_SUPPORT_LOSSSCALE_H
#define MPC_SUPPORT_LOSSSCALE_H

#include <cmath>
#include <limits>
#include <string_view>

namespace mpc {

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

#endif // MPC_SUPPORT_LOSSSCALE_H
