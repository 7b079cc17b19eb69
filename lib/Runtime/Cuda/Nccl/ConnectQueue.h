// Runs the collectives among the records, once and at once, and leaves the
// others out. NCCL connects two ranks when they first meet in a kind of
// collective; that allocates, and must not happen first inside a capture.
#ifndef MPC_LIB_RUNTIME_CUDA_NCCL_CONNECTQUEUE_H
#define MPC_LIB_RUNTIME_CUDA_NCCL_CONNECTQUEUE_H

#include "../Graph/Queue.h"

namespace mpc::runtime {

class ConnectQueue final : public Queue {
public:
  explicit ConnectQueue(cudaStream_t stream) : stream(stream) {}

  Status begin(std::span<const uint32_t>, const char *) override { return {}; }
  Status kernel(const KernelCall &) override { return {}; }
  Status copy(void *, const void *, uint64_t) override { return {}; }
  Status fill(void *, uint64_t) override { return {}; }
  Status library(const Enqueue &) override { return {}; }
  Status collective(const Enqueue &call) override { return call(stream); }
  Status end() override { return {}; }

private:
  cudaStream_t stream;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_NCCL_CONNECTQUEUE_H
