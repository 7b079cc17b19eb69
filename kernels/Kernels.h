// The kernels of this room by operation and types. Private to this room.
#ifndef MPC_KERNELS_KERNELS_H
#define MPC_KERNELS_KERNELS_H

#include "kernels/Arguments.h"

namespace mpc::kernels {

/// A kernel and how it is launched. function: null if there is none for the
/// types.
struct Kernel {
  const void *function = nullptr;
  uint32_t blocksPerMultiprocessor = 1; ///< that run at the same time
  uint32_t packElements = 1;            ///< of the packs it accesses
  uint32_t tileElements = 1;            ///< that a block loads before it stores
  int numLists = 0;
};

Kernel findUnscaleL2Norm(DType gradient);
Kernel findAdamW(DType gradient, std::optional<DType> copy);
Kernel findSgd(DType gradient, std::optional<DType> copy, bool hasBuffer);

using Counts = std::span<const uint64_t>;
void referenceUnscaleL2Norm(const MultiTensor &op, Counts, const Arguments &);
void referenceAdamW(const MultiTensor &op, Counts, const Arguments &);
void referenceSgd(const MultiTensor &op, Counts, const Arguments &);

} // namespace mpc::kernels

#endif // MPC_KERNELS_KERNELS_H
