// Runs records at once, one after the other, each inside a range of its name
// that profilers show (NVTX).
#ifndef MPC_LIB_RUNTIME_CUDA_GRAPH_STREAMQUEUE_H
#define MPC_LIB_RUNTIME_CUDA_GRAPH_STREAMQUEUE_H

#include "../Api/RangeMarker.h"
#include "Queue.h"

namespace mpc::runtime {

class StreamQueue final : public Queue {
public:
  StreamQueue(const CudaApi &api, cudaStream_t stream,
              const CollectiveLine &line, const RangeMarker &marker)
      : api(api), stream(stream), line(line), marker(marker) {}
  ~StreamQueue() override;

  Status begin(std::span<const uint32_t> after, const char *name) override;
  Status kernel(const KernelCall &call) override;
  Status copy(void *result, const void *source, uint64_t bytes) override;
  Status fill(void *result, uint64_t bytes) override;
  Status library(const Enqueue &call) override;
  Status collective(const Enqueue &call) override;
  Status end() override;

private:
  const CudaApi &api;
  cudaStream_t stream;
  CollectiveLine line;
  const RangeMarker &marker;
  bool open = false; ///< whether a range is
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_GRAPH_STREAMQUEUE_H
