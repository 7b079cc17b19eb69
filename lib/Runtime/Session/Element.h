// Elements of tensors as numbers.
#ifndef MPC_LIB_RUNTIME_SESSION_ELEMENT_H
#define MPC_LIB_RUNTIME_SESSION_ELEMENT_H

#include "mpc/Program/Program.h"

namespace mpc::runtime {

/// Rounds `values` to `type` and writes them as elements from `index` on. Not
/// for f8, which has no initialisers.
void storeElements(program::ElementType type, uint8_t *data, uint64_t index,
                   std::span<const double> values);

/// Element `index` as a number, exactly but for integers beyond 2^53; 0 for f8.
double loadElement(program::ElementType type, const uint8_t *data,
                   uint64_t index);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_SESSION_ELEMENT_H
