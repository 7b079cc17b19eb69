#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <csignal>
#include <immintrin.h>
#include <sched.h>
#include <system_error>

using namespace mpc;
using namespace mpc::runtime;

/// Some 200 microseconds of pauses: longer than most records that run on one
/// thread, shorter than anyone notices.
static constexpr int kSpins = 10000;

namespace {
/// While it lives, new threads take no signals; the caller's mask comes back.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }

private:
  sigset_t before;
};
} // namespace

/// Processors that this process may use.
static uint32_t countProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return std::max(1u, std::thread::hardware_concurrency());
  return static_cast<uint32_t>(std::max(1, CPU_COUNT(&set)));
}

Result<uint32_t> runtime::decideThreads(uint32_t asked) {
  constexpr uint32_t most = 4096;
  if (asked > most)
    return Status(StatusCode::InvalidArgument,
                  "expected at most " + std::to_string(most) +
                      " threads, but got " + std::to_string(asked));
  return asked ? asked : countProcessors();
}

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(uint32_t threads,
                                                       void (*atStart)()) {
  std::unique_ptr<ThreadPool> pool(new ThreadPool(threads));
  SignalsBlocked guard;
  try {
    pool->workers.reserve(threads - 1);
    for (uint32_t worker = 1; worker < threads; ++worker)
      pool->workers.emplace_back(&ThreadPool::work, pool.get(), worker,
                                 atStart);
  } catch (const std::system_error &error) {
    return Status(StatusCode::OutOfMemory,
                  "could not start thread " +
                      std::to_string(pool->workers.size() + 2) + " of " +
                      std::to_string(threads) + ": " + error.what());
  }
  // What threads need at their start they have now, not while a step runs.
  for (uint32_t begun; (begun = pool->started.load()) + 1 < threads;)
    pool->started.wait(begun);
  return pool;
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  signal.fetch_add(1);
  signal.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

/// First chunk of share `share`; share `used` would begin at the end.
static uint32_t firstOf(uint32_t share, uint32_t chunks, uint32_t used) {
  return static_cast<uint32_t>(uint64_t(share) * chunks / used);
}

void ThreadPool::takeFrom(uint32_t share, uint32_t worker) {
  std::atomic<uint64_t> &claim = shares[share].claim;
  while (true) {
    uint64_t ticket = claim.load(std::memory_order_acquire);
    auto chunk = static_cast<uint32_t>(ticket);
    Task function = task.load(std::memory_order_acquire);
    void *argument = context.load(std::memory_order_acquire);
    uint32_t shareCount = used.load(std::memory_order_acquire);
    uint32_t count = chunks.load(std::memory_order_acquire);
    if (share >= shareCount || chunk >= firstOf(share + 1, count, shareCount))
      return;
    // Success proves that the job is still the one whose fields were read.
    if (!claim.compare_exchange_weak(ticket, ticket + 1,
                                     std::memory_order_acq_rel,
                                     std::memory_order_relaxed))
      continue;
    function(argument, chunk, worker);
    done.fetch_add(1, std::memory_order_release);
  }
}

void ThreadPool::help(uint32_t worker) {
  uint32_t count = used.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i)
    takeFrom((worker + i) % count, worker);
}

void ThreadPool::open(uint32_t count, Task function, void *argument) {
  uint64_t number = job.load(std::memory_order_relaxed) + 1;
  uint32_t before = used.load(std::memory_order_relaxed);
  for (uint32_t share = 0; share < before; ++share)
    shares[share].claim.store(number << 32 | kClosed,
                              std::memory_order_release);
  uint32_t now = std::min(count, size());
  task.store(function, std::memory_order_release);
  context.store(argument, std::memory_order_release);
  chunks.store(count, std::memory_order_release);
  used.store(now, std::memory_order_release);
  done.store(0, std::memory_order_release);
  for (uint32_t share = 0; share < now; ++share)
    shares[share].claim.store(number << 32 | firstOf(share, count, now),
                              std::memory_order_release);
  job.store(static_cast<uint32_t>(number), std::memory_order_seq_cst);
}

void ThreadPool::run(uint32_t count, Task function, void *argument) {
  if (count <= 1 || workers.empty()) {
    for (uint32_t chunk = 0; chunk < count; ++chunk)
      function(argument, chunk, 0);
    return;
  }
  open(count, function, argument);
  if (sleepers.load(std::memory_order_seq_cst)) {
    signal.fetch_add(1, std::memory_order_seq_cst);
    signal.notify_all();
  }
  help(0);
  for (int spins = 0; done.load(std::memory_order_acquire) != count; ++spins)
    if (spins < kSpins)
      _mm_pause();
    else
      sched_yield(); // the worker that is late needs this processor
}

/// Returns when a job after `seen` is open, or the pool stops.
void ThreadPool::waitForWork(uint32_t seen) {
  auto isOver = [&] {
    return job.load(std::memory_order_seq_cst) != seen ||
           stopping.load(std::memory_order_seq_cst);
  };
  while (true) {
    for (int spins = 0; spins < kSpins; ++spins) {
      if (isOver())
        return;
      _mm_pause();
    }
    uint32_t before = signal.load(std::memory_order_seq_cst);
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    if (!isOver())
      signal.wait(before);
    sleepers.fetch_sub(1, std::memory_order_seq_cst);
  }
}

void ThreadPool::work(uint32_t worker, void (*atStart)()) {
  PlainArithmetic arithmetic;
  if (atStart)
    atStart();
  started.fetch_add(1);
  started.notify_all();
  for (uint32_t seen = 0; !stopping.load(std::memory_order_relaxed);) {
    waitForWork(seen);
    seen = job.load(std::memory_order_acquire);
    help(worker);
  }
}
