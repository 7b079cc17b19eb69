// Where the records of an entry go: into a graph that is launched many times
// (GraphQueue), or straight onto a stream, each with a name for the profiler
// (StreamQueue).
//
//   for each record: begin(...), then kernel, copy, fill, ... , then end()
#ifndef MPC_LIB_RUNTIME_CUDA_GRAPH_QUEUE_H
#define MPC_LIB_RUNTIME_CUDA_GRAPH_QUEUE_H

#include "../Api/Handles.h"

#include <functional>
#include <span>
#include <vector>

namespace mpc::runtime {

struct KernelCall {
  const void *function; ///< a cudaKernel_t, or the address of a __global__
  uint32_t grid, block, sharedBytes;
  void **parameters;
};

/// Enqueues the work of a library on a stream.
using Enqueue = std::function<Status(cudaStream_t)>;

/// The stream that collectives run on, and the events that fork it off the
/// stream of computation and join it again.
struct CollectiveLine {
  cudaStream_t stream = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr;
};

class Queue {
public:
  virtual ~Queue() = default;
  /// What follows belongs to the next record, which waits for the earlier
  /// records `after`; `name` is for people.
  virtual Status begin(std::span<const uint32_t> after, const char *name) = 0;
  virtual Status kernel(const KernelCall &call) = 0;
  /// Between different places of the device.
  virtual Status copy(void *result, const void *source, uint64_t bytes) = 0;
  /// Zeroes memory.
  virtual Status fill(void *result, uint64_t bytes) = 0;
  virtual Status library(const Enqueue &call) = 0;
  /// The same on the line of collectives.
  virtual Status collective(const Enqueue &call) = 0;
  virtual Status end() = 0;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_GRAPH_QUEUE_H
