#include "mpc/Runtime/ThreadPool.h"

#include <csignal>
#include <immintrin.h>
#include <sched.h>
#include <system_error>

using namespace mpc;
using namespace mpc::runtime;

/// Some 200 microseconds of pauses: longer than most records that run on one
/// thread, shorter than anyone notices.
static constexpr int kSpins = 10000;

Result<std::unique_ptr<ThreadPool>> ThreadPool::create(uint32_t threads,
                                                       void (*atStart)()) {
  std::unique_ptr<ThreadPool> pool(new ThreadPool());
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Status status;
  try {
    pool->workers.reserve(threads - 1);
    for (uint32_t worker = 1; worker < threads; ++worker)
      pool->workers.emplace_back(&ThreadPool::work, pool.get(), worker,
                                 atStart);
  } catch (const std::system_error &error) {
    status = Status(StatusCode::OutOfMemory,
                    "could not start thread " +
                        std::to_string(pool->workers.size() + 2) + " of " +
                        std::to_string(threads) + ": " + error.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!status.ok())
    return status;
  return pool;
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  signal.fetch_add(1);
  signal.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::help(uint32_t worker) {
  while (true) {
    uint64_t ticket = claim.load(std::memory_order_acquire);
    uint32_t chunk = static_cast<uint32_t>(ticket);
    Task function = task.load(std::memory_order_relaxed);
    void *argument = context.load(std::memory_order_relaxed);
    if (chunk >= chunks.load(std::memory_order_relaxed))
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

void ThreadPool::run(uint32_t count, Task function, void *argument) {
  if (count <= 1 || workers.empty()) {
    for (uint32_t chunk = 0; chunk < count; ++chunk)
      function(argument, chunk, 0);
    return;
  }
  uint64_t job = (claim.load(std::memory_order_relaxed) >> 32) + 1;
  claim.store(job << 32 | kClosed, std::memory_order_seq_cst);
  task.store(function, std::memory_order_relaxed);
  context.store(argument, std::memory_order_relaxed);
  chunks.store(count, std::memory_order_relaxed);
  done.store(0, std::memory_order_relaxed);
  claim.store(job << 32, std::memory_order_seq_cst);
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

/// Returns when a job other than `seen` is open, or the pool stops.
uint64_t ThreadPool::waitForWork(uint64_t seen) {
  auto isNew = [&](uint64_t ticket) {
    return ticket >> 32 != seen && static_cast<uint32_t>(ticket) != kClosed;
  };
  while (true) {
    for (int spins = 0; spins < kSpins; ++spins) {
      uint64_t ticket = claim.load(std::memory_order_seq_cst);
      if (isNew(ticket) || stopping.load(std::memory_order_relaxed))
        return ticket >> 32;
      _mm_pause();
    }
    uint32_t before = signal.load(std::memory_order_seq_cst);
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    if (!isNew(claim.load(std::memory_order_seq_cst)) && !stopping.load())
      signal.wait(before);
    sleepers.fetch_sub(1, std::memory_order_seq_cst);
  }
}

void ThreadPool::work(uint32_t worker, void (*atStart)()) {
  if (atStart)
    atStart();
  for (uint64_t job = 0; !stopping.load(std::memory_order_relaxed);) {
    job = waitForWork(job);
    help(worker);
  }
}
