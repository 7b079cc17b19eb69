// Builds the CUDA graph of an entry.
//
// A capture is begun on `stream` and lasts until finish. Our own kernels,
// copies and fills are nodes that are added to the graph under capture
// explicitly; what libraries enqueue is captured. Which nodes come before is
// said by us each time, not by the stream.
#ifndef MPC_LIB_RUNTIME_CUDA_GRAPH_GRAPHQUEUE_H
#define MPC_LIB_RUNTIME_CUDA_GRAPH_GRAPHQUEUE_H

#include "Queue.h"

namespace mpc::runtime {

class GraphQueue final : public Queue {
public:
  /// `stream` has no other work until finish, and is not the caller's.
  GraphQueue(const CudaApi &api, cudaStream_t stream,
             const CollectiveLine &line)
      : api(api), stream(stream), line(line) {}
  /// Ends the capture if finish did not.
  ~GraphQueue() override;

  Status start();
  /// The graph, ready for launch. No record may follow.
  Result<GraphExec> finish();

  Status begin(std::span<const uint32_t> after, const char *name) override;
  Status kernel(const KernelCall &call) override;
  Status copy(void *result, const void *source, uint64_t bytes) override;
  Status fill(void *result, uint64_t bytes) override;
  Status library(const Enqueue &call) override;
  Status collective(const Enqueue &call) override;
  Status end() override;

private:
  using Nodes = std::vector<cudaGraphNode_t>;
  Status setCaptureDependencies(const Nodes &nodes);
  Result<Nodes> captureDependencies(cudaStream_t of);
  Result<Graph> endCapture();
  Nodes leaves() const;

  const CudaApi &api;
  cudaStream_t stream;
  CollectiveLine line;
  cudaGraph_t graph = nullptr; ///< under capture
  bool capturing = false;
  bool forked = false;       ///< whether line.stream takes part in the capture
  Nodes last;                ///< of the current record: what comes next waits
  std::vector<Nodes> tails;  ///< by record
  std::vector<bool> awaited; ///< by record: whether another waits for it
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_GRAPH_GRAPHQUEUE_H
