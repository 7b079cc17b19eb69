// From types and widths known when a program is loaded to template arguments.
// Private to this room.
#ifndef MPC_KERNELS_ATTENTION_SHAPES_H
#define MPC_KERNELS_ATTENTION_SHAPES_H

#include "kernels/Formats.h"

namespace mpc::kernels {

/// use.template operator()<T, Width>() for a type and the least width that has
/// room, or a default value.
template <typename Use>
auto withAttentionShape(DType type, int64_t width, Use use) {
  auto withWidth = [&]<typename T>() {
    if (width <= 64)
      return use.template operator()<T, 64>();
    if (width <= 128)
      return use.template operator()<T, 128>();
    return decltype(use.template operator()<T, 64>())();
  };
  switch (type) {
  case DType::F32:
    return withWidth.template operator()<float>();
  case DType::F16:
    return withWidth.template operator()<Half>();
  case DType::BF16:
    return withWidth.template operator()<BFloat>();
  default:
    return decltype(withWidth.template operator()<float>())();
  }
}

} // namespace mpc::kernels

#endif // MPC_KERNELS_ATTENTION_SHAPES_H
