// What runs the entries of a program on one kind of device. A session owns one:
// it checks arguments and knows which states have values; an executor moves
// bytes and runs records, and never sees a wrong argument.
//
//   HostExecutor   lib/Runtime/Host   generated kernels, oneDNN, the pool
//   CudaExecutor   lib/Runtime/Cuda   in libmpcrt_cuda.so, loaded when asked
//   for
//
// One thread at a time. Asynchronous executors queue work: `run` returns when
// the inputs have been taken over, and what reads memory waits.
#ifndef MPC_RUNTIME_EXECUTOR_H
#define MPC_RUNTIME_EXECUTOR_H

#include "mpc/Support/Status.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace mpc::runtime {

class ThreadPool;

struct Input {
  const void *data;
  uint64_t bytes;
};

/// Bytes. `used` counts what has been allocated.
struct MemoryUse {
  struct Blocks {
    uint64_t state = 0, arena = 0, workspace = 0;
  } planned, used;
};

/// Times that the calling thread waited for a device, since creation.
struct WaitCounts {
  /// Waits for everything queued, after which the device is idle.
  uint64_t synchronizations = 0;
  /// Waits for one earlier run while later ones are queued.
  uint64_t waits = 0;
};

/// When a record ran, in nanoseconds of the clock that only goes forward
/// (std::chrono::steady_clock).
struct RecordTime {
  uint64_t begin = 0, end = 0;
};

class Executor {
public:
  /// Results of the last kResultRuns runs of an entry are kept, each of at most
  /// kResultBytes.
  static constexpr uint32_t kResultRuns = 4;
  static constexpr uint64_t kResultBytes = 4096;

  virtual ~Executor() = default;
  /// Runs an entry's records in order.
  virtual Status run(uint32_t entry, std::span<const Input> inputs) = 0;
  /// After a run of `entry` that failed: whether states may hold a part of what
  /// it computes. An executor that goes on after no failure need not say.
  virtual bool mayHoldPart(uint32_t entry) const {
    (void)entry;
    return false;
  }
  /// Copies bytes of the state block out or in, after what was queued. The
  /// block is zero at first.
  virtual Status readState(uint64_t offset, std::span<uint8_t> bytes) = 0;
  virtual Status writeState(uint64_t offset,
                            std::span<const uint8_t> bytes) = 0;
  /// Makes bytes of a state: those from `first` on that `piece` has room for.
  /// Must not throw.
  using FillPiece =
      std::function<void(uint64_t first, std::span<uint8_t> piece)>;
  /// Writes `bytes` of the state block from `offset` on, as `fill` makes them
  /// piece by piece: in any order and on any thread. Pieces begin at multiples
  /// of 4096.
  virtual Status fillState(uint64_t offset, uint64_t bytes,
                           const FillPiece &fill) {
    constexpr uint64_t most = uint64_t(1) << 20; // no second copy of the state
    std::vector<uint8_t> piece(std::min(most, bytes));
    for (uint64_t first = 0; first < bytes; first += most) {
      piece.resize(std::min(most, bytes - first));
      fill(first, piece);
      if (Status status = writeState(offset + first, piece); !status.ok())
        return status;
    }
    return {};
  }
  /// An output of the last run in host memory; `entry` is the one that ran.
  /// Valid until the next run or call of this function.
  virtual Result<std::span<const uint8_t>> output(uint32_t entry,
                                                  uint32_t index) = 0;
  /// An output of at most kResultBytes of the run of `entry` that was
  /// `age` < kResultRuns successful runs of it ago (0: the last); there was
  /// one. Valid until kResultRuns - age further runs of `entry` were asked
  /// for. Does not wait for later runs.
  virtual Result<std::span<const uint8_t>>
  result(uint32_t entry, uint32_t index, uint32_t age) = 0;
  /// Waits until all that was queued has run; its failure, if it failed.
  virtual Status synchronize() = 0;
  /// The plans of matrix products that were chosen so far, for
  /// DeviceOptions::plans of a later session.
  virtual Result<std::vector<uint8_t>> exportPlans() = 0;
  virtual MemoryUse memory() const = 0;
  virtual WaitCounts waitCounts() const = 0;
  /// Whether later runs note when each of their records began and ended.
  virtual Status timeRecords(bool isOn) {
    (void)isOn;
    return {StatusCode::InvalidArgument,
            "records of this target have no times of their own: a run is one "
            "graph of the device, which queues it as a whole"};
  }
  /// By record, of the last run of `entry` with timeRecords on; zeros of
  /// records that it did not come to.
  virtual std::span<const RecordTime> recordTimes(uint32_t entry) const {
    (void)entry;
    return {};
  }
  /// Number of this session among the ranks that train together; 0 if it does
  /// so alone.
  virtual uint32_t rank() const = 0;
  /// Threads that compute on the host; 1 if the device does.
  virtual uint32_t threads() const = 0;
  /// They themselves, idle between runs; null if the device computes.
  virtual ThreadPool *pool() { return nullptr; }
};

} // namespace mpc::runtime

#endif // MPC_RUNTIME_EXECUTOR_H
