// A program with memory: state, arena, and an executor for its target. All
// memory is allocated by create; running allocates nothing.
//
// Life: create -> initialize (or setState for every state) -> run, run, ... ->
// output, result, getState. One thread at a time.
//
// Derived states (16-bit copies of weights) are never stale: after setState of
// what they are computed from, the next `run` of any entry, and getState of a
// derived state, run the entry "init" first. `refresh` does so at once.
//
// A device runs behind the caller: `run` queues, `output`, `getState` and
// `setState` wait for everything queued, `result` waits for one run only.
// Reading the result of the run before (age 1) after each run keeps the device
// busy. The processor is done when `run` returns.
//
// A step over N micro-batches is N - 1 runs of "accumulate" and one of "step".
// One that is out of turn is refused, and the session is as it was. After
// initialize, clearAccumulators and a step the first is next.
//
// A run that fails on the processor (no memory, a rank that has gone) may be
// done again, unless it had begun to write states: then they hold a part of
// what it computes, and nothing is run or saved before initialize, or until
// all states were set and clearAccumulators was called. A device that fails is
// lost with its session.
#ifndef MPC_RUNTIME_SESSION_H
#define MPC_RUNTIME_SESSION_H

#include "mpc/Runtime/Communicator.h"
#include "mpc/Runtime/DeviceOptions.h"
#include "mpc/Runtime/Executor.h"
#include "mpc/Runtime/Program.h"
#include "mpc/Runtime/StepReport.h"

namespace mpc::runtime {

/// Where a session's blocks come from. `allocate` returns null on failure.
struct Allocator {
  void *context = nullptr;
  void *(*allocate)(void *context, size_t bytes, size_t alignment) = nullptr;
  void (*release)(void *context, void *memory, size_t bytes) = nullptr;
};
/// The C library's aligned allocation.
Allocator getDefaultAllocator();

struct HostOptions {
  uint32_t threads = 0;               ///< 0: as many as processors may be used
  std::optional<Allocator> allocator; ///< none: getDefaultAllocator
  std::unique_ptr<Communicator> communicator; ///< null: a single rank
};

/// Those of the program's target; the others must be the defaults.
struct SessionOptions : HostOptions {
  DeviceOptions device;
  Log log;
};

/// A tensor in the caller's memory, dense and row-major.
struct TensorView {
  DType type;
  std::span<const int64_t> shape;
  void *data;
  uint64_t bytes;
};

/// A new id of a group of ranks, for RankOptions::uniqueId: made by one rank
/// and handed to all. By the plug-in that DeviceOptions::pluginPath names.
Result<std::vector<uint8_t>> makeUniqueId(const std::string &pluginPath);

class Session {
public:
  static Result<std::unique_ptr<Session>>
  create(std::shared_ptr<const Program> program, SessionOptions options);
  ~Session();

  /// First values of all states from `seed`, then the entry "init".
  Status initialize(uint64_t seed);
  /// Recomputes derived states now, and not only before they are used.
  Status refresh();
  /// Fails with InvalidArgument, before anything is run, for inputs that are
  /// not the entry's, for "step" and "accumulate" out of turn, and for a step
  /// that no counter could count.
  Status run(uint32_t entry, std::span<const Input> inputs);
  /// Where an output of the last run lies; valid until the next run, or the
  /// next call of this function.
  Result<std::span<const uint8_t>> output(uint32_t entry, uint32_t index) const;
  /// A small output of the run of `entry` that was `age` runs of it ago; see
  /// Executor::result.
  Result<std::span<const uint8_t>> result(uint32_t entry, uint32_t index,
                                          uint32_t age) const;
  /// What the run of the entry "step" that was `age` runs of it ago tells;
  /// waits as `result` does. Allocates nothing.
  Result<StepReport> stepReport(uint32_t age) const;
  /// Waits for everything queued.
  Status synchronize();
  /// Of a derived state that has to be recomputed: as a run, so the outputs of
  /// the run before are gone.
  Status getState(std::string_view name, const TensorView &destination) const;
  Status setState(std::string_view name, const TensorView &source);
  /// What setState would say, but for failures of a device.
  Status checkState(std::string_view name, const TensorView &source) const;
  /// Whether all states together are a state of training: each has a value, and
  /// no step is half done (some of its micro-batches accumulated, or a run that
  /// failed on its way).
  Status checkComplete() const;
  /// Forgets the micro-batches of a step that is half done.
  Status clearAccumulators();

  /// See Executor::timeRecords. InvalidArgument for a target that has no times.
  Status timeRecords(bool isOn);
  /// By record, of the last run of `entry`; NotFound if none was timed. Valid
  /// until its next run.
  Result<std::span<const RecordTime>> recordTimes(uint32_t entry) const;
  /// See Executor::exportPlans.
  Result<std::vector<uint8_t>> exportPlans();
  MemoryUse memory() const;
  WaitCounts waitCounts() const;
  uint32_t threads() const;
  /// See Executor::pool.
  ThreadPool *pool();
  const Program &program() const;

private:
  struct Body;
  explicit Session(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body;
};

} // namespace mpc::runtime

#endif // MPC_RUNTIME_SESSION_H
