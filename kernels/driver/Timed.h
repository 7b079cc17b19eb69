// One thing to time on a GPU, mostly as a CUDA graph, and turns of several.
#ifndef MPC_KERNELS_DRIVER_TIMED_H
#define MPC_KERNELS_DRIVER_TIMED_H

#include "mpc/Support/Status.h"
#include <cuda_runtime_api.h>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mpc::kernels {

class Timed {
public:
  /// Queues one run.
  using Run = std::function<Status(cudaStream_t)>;

  /// `repeats` runs, one after the other, make the graph; `bytes` are read and
  /// written by one. `operations`: of a run, where arithmetic bounds it.
  static Result<std::unique_ptr<Timed>>
  record(std::string name, uint64_t bytes, uint32_t repeats,
         cudaStream_t stream, const Run &run, double operations = 0);
  /// Queued anew each time: a copy in a graph is a third slower.
  static std::unique_ptr<Timed> queue(std::string name, uint64_t bytes,
                                      cudaStream_t stream, Run run);
  Timed(const Timed &) = delete;
  ~Timed();

  /// Seconds per run, over at least `seconds` of running.
  Result<double> time(double seconds);

  const std::string name;
  const uint64_t bytes;
  const double operations; ///< 0: memory bounds it

private:
  Timed(std::string name, uint64_t bytes, double operations, uint32_t repeats,
        cudaStream_t stream)
      : name(std::move(name)), bytes(bytes), operations(operations),
        repeats(repeats), stream(stream) {}

  uint32_t repeats;
  cudaStream_t stream;
  cudaGraphExec_t graph = nullptr;
  Run run;             ///< Where there is no graph.
  double estimate = 0; ///< seconds per run
};

/// A copy of `bytes` within device memory: the measure of all others. `from`
/// holds random numbers.
std::unique_ptr<Timed> queueCopy(void *to, const void *from, uint64_t bytes,
                                 cudaStream_t stream);

struct TurnOptions {
  int rounds = 10;
  double seconds = 0.1; ///< of each sample
  bool json = false;

  /// Takes the number of `--rounds` or `--seconds`; false for other words, and
  /// for what is no number.
  bool read(std::string_view word, const char *number);
};

using TimedList = std::vector<std::unique_ptr<Timed>>;

/// Times all in turns, after a round that warms up, and prints a line for each:
/// its median, the distance of the quartiles, and its bytes per second as a
/// fraction of the first one's, which is a copy, or its operations per second.
Status timeInTurns(const TimedList &list, const TurnOptions &options);

/// Answers each line of `in` with a line of JSON, so that another
/// program can take turns with this one:
///   list               {"names": ["copy", ...]}
///   run NAME SECONDS   {"seconds": per run, "bytes": of a run}
/// or {"error": "..."}.
void serve(const TimedList &list, std::istream &in, std::ostream &out);

} // namespace mpc::kernels

#endif // MPC_KERNELS_DRIVER_TIMED_H
