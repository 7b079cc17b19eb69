// Random numbers in device memory, for benchmarks: zeros would run faster than
// data does.
#ifndef MPC_KERNELS_DRIVER_FILL_H
#define MPC_KERNELS_DRIVER_FILL_H

#include "mpc/Support/DType.h"
#include <cuda_runtime_api.h>

namespace mpc::kernels {

/// Queues the writing of `count` numbers of `type` (f32, f16 or bf16), uniform
/// on [low, high).
cudaError_t fillRandom(void *data, DType type, uint64_t count, float low,
                       float high, uint64_t seed, cudaStream_t stream);

} // namespace mpc::kernels

#endif // MPC_KERNELS_DRIVER_FILL_H
