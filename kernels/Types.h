// From types known when a program is loaded to template arguments. Private to
// this room.
#ifndef MPC_KERNELS_TYPES_H
#define MPC_KERNELS_TYPES_H

#include "kernels/Formats.h"
#include <optional>

namespace mpc::kernels {

/// use.template operator()<G>() for the type of gradients, or a default value.
template <typename Use> auto withGradientType(DType type, Use use) {
  switch (type) {
  case DType::F32:
    return use.template operator()<float>();
  case DType::F16:
    return use.template operator()<Half>();
  case DType::BF16:
    return use.template operator()<BFloat>();
  default:
    return decltype(use.template operator()<float>())();
  }
}

/// use.template operator()<C>() for the type of copies, or a default value.
template <typename Use> auto withCopyType(std::optional<DType> type, Use use) {
  if (!type)
    return use.template operator()<NoCopy>();
  switch (*type) {
  case DType::F16:
    return use.template operator()<Half>();
  case DType::BF16:
    return use.template operator()<BFloat>();
  default:
    return decltype(use.template operator()<NoCopy>())();
  }
}

/// Both.
template <typename Use>
auto withTypes(DType gradient, std::optional<DType> copy, Use use) {
  return withGradientType(gradient, [&]<typename G>() {
    return withCopyType(
        copy, [&]<typename C>() { return use.template operator()<G, C>(); });
  });
}

} // namespace mpc::kernels

#endif // MPC_KERNELS_TYPES_H
