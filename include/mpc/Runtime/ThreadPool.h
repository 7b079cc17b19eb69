// A small team of threads for one session. The caller's thread takes part, and
// work is claimed chunk by chunk, so that a worker that the system has put to
// sleep delays nobody: the others take its share. (A team with a barrier, as
// OpenMP's, waits a scheduler tick for it; on busy machines that decides.)
//
// Idle workers spin for some microseconds, since the next record usually comes
// within that, and then sleep. Workers block all signals.
#ifndef MPC_RUNTIME_THREADPOOL_H
#define MPC_RUNTIME_THREADPOOL_H

#include "mpc/Support/Status.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace mpc::runtime {

class ThreadPool {
public:
  /// Does chunk number `chunk`; `worker` in [0, size) is not shared with any
  /// other call that runs at the same time. Must not throw.
  using Task = void (*)(void *context, uint32_t chunk, uint32_t worker);

  /// `threads` >= 1, the caller included. `atStart` runs first on each worker.
  static Result<std::unique_ptr<ThreadPool>> create(uint32_t threads,
                                                    void (*atStart)());
  ~ThreadPool();

  uint32_t size() const { return static_cast<uint32_t>(workers.size()) + 1; }
  /// Calls `task` for every chunk in [0, chunks), once each, and returns when
  /// all are done. Allocates nothing. Not reentrant.
  void run(uint32_t chunks, Task task, void *context);

private:
  ThreadPool() = default;
  void work(uint32_t worker, void (*atStart)());
  /// Claims and does chunks until none is left.
  void help(uint32_t worker);
  uint64_t waitForWork(uint64_t seen);

  std::vector<std::thread> workers;
  std::atomic<bool> stopping{false};
  // The job. `claim` is its number (high half) and the next chunk (low half);
  // a worker that reads the fields of an old job fails to claim from it.
  alignas(64) std::atomic<uint64_t> claim{kClosed};
  std::atomic<Task> task{nullptr};
  std::atomic<void *> context{nullptr};
  std::atomic<uint32_t> chunks{0};
  alignas(64) std::atomic<uint32_t> done{0};
  alignas(64) std::atomic<uint32_t> signal{0}; ///< what sleepers wait on
  std::atomic<uint32_t> sleepers{0};

  static constexpr uint64_t kClosed = 0xffffffff;
};

} // namespace mpc::runtime

#endif // MPC_RUNTIME_THREADPOOL_H
