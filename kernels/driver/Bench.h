// What is timed: each kernel over a list of parameters, or heads.
#ifndef MPC_KERNELS_DRIVER_BENCH_H
#define MPC_KERNELS_DRIVER_BENCH_H

#include "kernels/driver/Cases.h"
#include "kernels/driver/CudaDevice.h"
#include "kernels/driver/Timed.h"

namespace mpc::kernels {

struct BenchOptions {
  /// Parameters to update: a name and elements. The first is larger than any
  /// cache, the second one small enough to be bound by latency.
  std::vector<std::pair<std::string, std::vector<uint64_t>>> lists = {
      {"gpt2", gpt2Counts(768, 50257)}, {"mlp", mlpCounts()}};
  /// Causal attention of heads, one of T = 1024 being GPT-2's.
  struct Heads {
    int64_t batch, time, heads, width;
  };
  std::vector<Heads> attention = {{32, 1024, 12, 64}, {4, 4096, 16, 128}};
  uint64_t copyBytes = uint64_t(1) << 29;
  uint32_t repeats = 64; ///< runs of a small list that make a graph
};

/// Everything that is timed, ready to run; the first is a copy. Allocates about
/// 4 GiB of `device`, with the lists above.
Result<TimedList> makeBenchmarks(CudaDevice &device,
                                 const BenchOptions &options = {});

/// Adds attention, forward and backward, in all types.
Status addAttention(TimedList &list, CudaDevice &device,
                    const BenchOptions::Heads &heads);

} // namespace mpc::kernels

#endif // MPC_KERNELS_DRIVER_BENCH_H
