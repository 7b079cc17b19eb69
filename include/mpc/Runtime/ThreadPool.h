// A small team of threads for one session. The caller's thread takes part, and
// work is claimed chunk by chunk, so that a worker that the system has put to
// sleep delays nobody: the others take its share. (A team with a barrier, as
// OpenMP's, waits a scheduler tick for it: on two busy processors, 8 ms for
// tasks of 60 us.) Each worker begins with the same part of the chunks each
// time, and so finds in its cache what it left there.
//
// Idle workers spin for some microseconds, since the next record usually comes
// within that, and then sleep. Workers block all signals.
#ifndef MPC_RUNTIME_THREADPOOL_H
#define MPC_RUNTIME_THREADPOOL_H

#include "mpc/Support/PlainArithmetic.h"
#include "mpc/Support/Status.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace mpc::runtime {

/// How many threads a session gets that asks for so many, 0 for as many as
/// processors may be used; an error where nobody can mean that.
Result<uint32_t> decideThreads(uint32_t asked);

class ThreadPool {
public:
  /// Does chunk number `chunk`; `worker` in [0, size) is not shared with any
  /// other call that runs at the same time. Must not throw.
  using Task = void (*)(void *context, uint32_t chunk, uint32_t worker);

  /// `threads` >= 1, the caller included. `atStart` runs first on each worker,
  /// and has ended on all of them when this returns.
  static Result<std::unique_ptr<ThreadPool>> create(uint32_t threads,
                                                    void (*atStart)());
  ~ThreadPool();

  uint32_t size() const { return static_cast<uint32_t>(workers.size()) + 1; }
  /// Calls `task` for every chunk in [0, chunks), once each, and returns when
  /// all are done. Allocates nothing. Not reentrant.
  void run(uint32_t chunks, Task task, void *context);

private:
  /// A share of the chunks, claimed by its own worker first and by any other
  /// that has nothing left. `claim` is the number of the job (high half) and
  /// the next chunk (low half).
  struct alignas(64) Share {
    std::atomic<uint64_t> claim{kClosed};
  };
  static constexpr uint64_t kClosed = 0xffffffff;

  explicit ThreadPool(uint32_t threads) : shares(new Share[threads]) {}
  void work(uint32_t worker, void (*atStart)());
  /// Claims and does chunks, of its own share first, until none is left.
  void help(uint32_t worker);
  void takeFrom(uint32_t share, uint32_t worker);
  void open(uint32_t count, Task function, void *argument);
  void waitForWork(uint32_t seen);

  std::vector<std::thread> workers;
  std::atomic<bool> stopping{false};
  std::atomic<uint32_t> started{0}; ///< workers that are ready
  // The job. Its fields change only while all shares are closed, and a claim
  // names the job: a worker that read the fields of an old one fails to claim.
  std::unique_ptr<Share[]> shares;
  std::atomic<Task> task{nullptr};
  std::atomic<void *> context{nullptr};
  std::atomic<uint32_t> chunks{0};
  std::atomic<uint32_t> used{0}; ///< shares of this job
  alignas(64) std::atomic<uint32_t> job{0};
  alignas(64) std::atomic<uint32_t> done{0};
  alignas(64) std::atomic<uint32_t> signal{0}; ///< what sleepers wait on
  std::atomic<uint32_t> sleepers{0};
};

} // namespace mpc::runtime

#endif // MPC_RUNTIME_THREADPOOL_H
