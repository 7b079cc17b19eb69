// What is timed: each kernel over a list of parameters, and a copy of device
// memory, which is the measure of them.
#ifndef MPC_KERNELS_DRIVER_BENCH_H
#define MPC_KERNELS_DRIVER_BENCH_H

#include "kernels/driver/CudaDevice.h"
#include <memory>

namespace mpc::kernels {

/// One thing to time, recorded as a CUDA graph.
class Timed {
public:
  Timed(std::string name, uint64_t bytes, std::vector<Launch> launches)
      : name(std::move(name)), bytes(bytes), launches(std::move(launches)) {}
  Timed(const Timed &) = delete;
  ~Timed();

  /// Records `repeats` runs, one behind the other, into a graph: the launches,
  /// or a copy of bytes / 2.
  Status record(cudaStream_t stream, uint32_t repeats);
  void copies(void *to, const void *from) { target = to, source = from; }

  /// Seconds per run, over at least `seconds` of running, after as much
  /// warming up as `record` saw fit.
  Result<double> time(cudaStream_t stream, double seconds);

  const std::string name;
  const uint64_t bytes; ///< read and written by one run

private:
  Status recordOnce(cudaStream_t stream);

  std::vector<Launch> launches;
  void *target = nullptr;
  const void *source = nullptr;
  uint32_t repeats = 1;
  cudaGraphExec_t graph = nullptr;
  double estimate = 0; ///< seconds per run
};

/// Everything that is timed, ready to run; the first is the copy. Allocates
/// about 4 GiB of `device`.
Result<std::vector<std::unique_ptr<Timed>>> makeBenchmarks(CudaDevice &device);

} // namespace mpc::kernels

#endif // MPC_KERNELS_DRIVER_BENCH_H
