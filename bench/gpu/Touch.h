// A kernel that does next to nothing, for what a node of a graph costs.
#ifndef MPC_BENCH_GPU_TOUCH_H
#define MPC_BENCH_GPU_TOUCH_H

#include <cuda_runtime_api.h>

namespace mpc::bench {

/// Queues one warp that adds 1 to `*counter`. `early`: it may be launched
/// before the kernel in front of it has ended, waits for that itself, and lets
/// the next one be launched at once (programmatic launches, from sm_90 on).
cudaError_t touch(float *counter, bool early, cudaStream_t stream);

} // namespace mpc::bench

#endif // MPC_BENCH_GPU_TOUCH_H
