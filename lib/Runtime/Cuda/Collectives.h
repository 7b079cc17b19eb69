// The ranks that the collectives of a session connect. A session of one rank
// has none: its sums, averages and maxima are copies.
#ifndef MPC_LIB_RUNTIME_CUDA_COLLECTIVES_H
#define MPC_LIB_RUNTIME_CUDA_COLLECTIVES_H

#include "mpc/Program/Program.h"

#include <cuda_runtime_api.h>

namespace mpc::runtime {

class Collectives {
public:
  virtual ~Collectives() = default;
  virtual uint32_t rank() const = 0;
  /// Enqueues a collective on `stream`, which may be under capture.
  /// `arguments`: as Program.fbs says, on the device.
  virtual Status enqueue(const program::Collective &collective,
                         std::span<void *const> arguments,
                         cudaStream_t stream) = 0;
  /// Work with collectives has been put on `stream`, outside a capture: from
  /// now on it is watched until it is done. Does not wait.
  virtual Status launched(cudaStream_t stream) = 0;
  /// What has been noticed of failed peers and networks so far; does not wait.
  /// Once it fails it always does, and what waited on the device goes on.
  virtual Status check() = 0;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_COLLECTIVES_H
