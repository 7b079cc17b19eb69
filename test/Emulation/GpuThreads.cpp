#include "GpuThreads.h"
#include "Fibers.h"
#include "MemoryChecker.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

using namespace mpc::emulation;

namespace {
enum class State { Ready, AtBarrier, AtCollective, Ended };
enum class Collective { Shuffle, Ballot, Synchronize };

const char *nameOf(Collective collective) {
  switch (collective) {
  case Collective::Shuffle:
    return "shuffle";
  case Collective::Ballot:
    return "ballot";
  case Collective::Synchronize:
    return "synchronization";
  }
  return "";
}

struct Thread {
  State state;
  uint32_t site;
  // Of the collective of the warp that the thread waits at.
  Collective collective;
  ShuffleMode mode;
  uint32_t mask, offset, width;
  uint64_t value;
  Shuffled result;
};

/// One host thread's share of the blocks.
class Runner {
public:
  Runner(const Launch &launch, void (*kernel)(void *), void *argument)
      : launch(launch), kernel(kernel), argument(argument),
        fibers(launch.block.size(), &Runner::runThread, this),
        threads(launch.block.size()),
        warps((threads.size() + kWarpSize - 1) / kWarpSize),
        random(launch.seed) {
    epochs.resize(warps.size());
    std::iota(warps.begin(), warps.end(), 0);
    std::iota(lanes, lanes + kWarpSize, 0);
    if (launch.seed)
      std::shuffle(lanes, lanes + kWarpSize, random);
    sharedBytes = (launch.sharedBytes + 255) / 256 * 256;
    shared = static_cast<char *>(std::aligned_alloc(256, sharedBytes + 256));
  }
  ~Runner() { std::free(shared); }

  /// Runs one block; false: `failure` tells why not.
  bool runBlock(uint64_t block);

  // For the threads.
  static void runThread(void *self);
  Thread &getThread() { return threads[running]; }
  void wait(State state) {
    getThread().state = state;
    fibers.suspend();
  }

  const Launch &launch;
  std::string failure;
  uint64_t block = 0;
  uint32_t running = 0;
  char *shared = nullptr;
  std::vector<uint32_t> epochs; ///< Of each warp: collectives completed.

private:
  bool runWarp(uint32_t warp);
  bool runLanes(uint32_t first, uint32_t count);
  bool endInterval();
  bool resolve(uint32_t first, uint32_t count);
  bool isComplete(uint32_t first, uint32_t count, uint32_t lane);
  bool resolveLane(uint32_t first, uint32_t lane);
  static std::optional<uint32_t> findSource(const Thread &thread,
                                            uint32_t lane);
  bool refuse(const std::string &message) {
    failure = "block " + std::to_string(block) + ": " + message;
    return false;
  }

  void (*kernel)(void *);
  void *argument;
  Fibers fibers;
  std::vector<Thread> threads;
  std::vector<uint32_t> warps; ///< In the order of this interval.
  uint32_t lanes[kWarpSize];
  std::minstd_rand random;
  size_t sharedBytes;
};

thread_local Runner *runner = nullptr;

void Runner::runThread(void *self) {
  auto *own = static_cast<Runner *>(self);
  own->kernel(own->argument);
  own->getThread().state = State::Ended;
}

bool Runner::runBlock(uint64_t number) {
  block = number;
  std::fill(epochs.begin(), epochs.end(), 0);
  std::fill_n(shared, sharedBytes, char(0xff));
  for (uint32_t thread = 0; thread < threads.size(); ++thread) {
    fibers.prepare(thread);
    threads[thread].state = State::Ready;
  }
  if (launch.checker)
    launch.checker->beginBlock(shared, launch.sharedBytes);
  bool hasEnded = false;
  while (!hasEnded) {
    if (launch.seed)
      std::shuffle(warps.begin(), warps.end(), random);
    for (uint32_t warp : warps)
      if (!runWarp(warp))
        return false;
    hasEnded = threads.front().state == State::Ended;
    if (!endInterval())
      return false;
    if (launch.checker)
      launch.checker->beginInterval();
  }
  return true;
}

/// Runs the lanes of a warp until all are at a barrier or have ended.
bool Runner::runWarp(uint32_t warp) {
  uint32_t first = warp * kWarpSize;
  uint32_t count = std::min(kWarpSize, uint32_t(threads.size()) - first);
  auto waits = [](const Thread &thread) {
    return thread.state == State::AtCollective;
  };
  do {
    if (!runLanes(first, count))
      return false;
    auto begin = threads.begin() + first;
    if (std::none_of(begin, begin + count, waits))
      return true;
  } while (resolve(first, count));
  return false;
}

bool Runner::runLanes(uint32_t first, uint32_t count) {
  if (launch.seed) // One swap per pass mixes as well, in time.
    std::swap(lanes[random() % kWarpSize], lanes[random() % kWarpSize]);
  for (uint32_t lane : lanes) {
    running = first + lane;
    if (lane >= count || threads[running].state != State::Ready)
      continue;
    fibers.resume(running);
    if (!failure.empty())
      return false;
  }
  return true;
}

/// All threads have stopped: all at one barrier, or all at the end.
bool Runner::endInterval() {
  const Thread &first = threads.front();
  size_t ended = 0;
  bool isSameSite = true;
  for (const Thread &thread : threads) {
    ended += thread.state == State::Ended;
    isSameSite &= thread.state == State::Ended || thread.site == first.site;
  }
  if (ended == threads.size())
    return true;
  if (ended)
    return refuse("a barrier is reached by " +
                  std::to_string(threads.size() - ended) + " of " +
                  std::to_string(threads.size()) +
                  " threads; the others have ended");
  if (!isSameSite)
    return refuse("threads wait at different barriers");
  for (Thread &thread : threads)
    thread.state = State::Ready;
  return true;
}

/// Completes what the lanes of a warp wait for.
bool Runner::resolve(uint32_t first, uint32_t count) {
  for (uint32_t lane = 0; lane < count; ++lane)
    if (threads[first + lane].state == State::AtCollective &&
        !isComplete(first, count, lane))
      return false;
  for (uint32_t lane = 0; lane < count; ++lane)
    if (threads[first + lane].state == State::AtCollective &&
        !resolveLane(first, lane))
      return false;
  for (uint32_t lane = 0; lane < count; ++lane)
    if (threads[first + lane].state == State::AtCollective)
      threads[first + lane].state = State::Ready;
  ++epochs[first / kWarpSize];
  return true;
}

/// Whether all lanes that `lane` names take part in what it waits for.
bool Runner::isComplete(uint32_t first, uint32_t count, uint32_t lane) {
  const Thread &own = threads[first + lane];
  std::string what = "a " + std::string(nameOf(own.collective)) +
                     " of thread " + std::to_string(first + lane);
  if (!(own.mask >> lane & 1))
    return refuse(what + " names other lanes, but not its own");
  for (uint32_t other = 0; other < kWarpSize; ++other) {
    if (!(own.mask >> other & 1))
      continue;
    const Thread *thread = other < count ? &threads[first + other] : nullptr;
    if (!thread || thread->state != State::AtCollective ||
        thread->mask != own.mask || thread->collective != own.collective)
      return refuse(what + " names lane " + std::to_string(other) +
                    " of its warp, which does not take part");
  }
  return true;
}

/// The lane that a shuffle reads, if it is inside of the segment.
std::optional<uint32_t> Runner::findSource(const Thread &thread,
                                           uint32_t lane) {
  int64_t low = lane / thread.width * thread.width, source = 0;
  int64_t end = low + thread.width;
  switch (thread.mode) {
  case ShuffleMode::Xor: // May reach lower segments, but not higher ones.
    source = lane ^ thread.offset;
    low = 0;
    break;
  case ShuffleMode::Up:
    source = int64_t(lane) - thread.offset;
    break;
  case ShuffleMode::Down:
    source = int64_t(lane) + thread.offset;
    break;
  case ShuffleMode::Index:
    source = low + thread.offset % thread.width;
    break;
  }
  if (source < low || source >= end)
    return std::nullopt;
  return uint32_t(source);
}

bool Runner::resolveLane(uint32_t first, uint32_t lane) {
  Thread &own = threads[first + lane];
  switch (own.collective) {
  case Collective::Synchronize:
    return true;
  case Collective::Ballot:
    own.result.value = 0;
    for (uint32_t other = 0; other < kWarpSize; ++other)
      if (own.mask >> other & 1)
        own.result.value |= threads[first + other].value << other;
    return true;
  case Collective::Shuffle:
    auto inside = findSource(own, lane);
    uint32_t source = inside.value_or(lane);
    if (!(own.mask >> source & 1))
      return refuse("a shuffle of thread " + std::to_string(first + lane) +
                    " reads lane " + std::to_string(source) +
                    ", which does not take part");
    own.result.isValid = inside.has_value();
    own.result.value = threads[first + source].value;
    return true;
  }
  return true;
}

/// What the host threads of a launch share.
struct Progress {
  std::atomic<uint64_t> next = 0;
  std::mutex mutex;
  std::string failure;
};

/// Block number `step` to run: every block has its turn once.
uint64_t permute(uint64_t step, const Launch &launch) {
  uint64_t blocks = launch.grid.size();
  if (launch.seed == 0)
    return step;
  uint64_t stride = blocks / 2 + launch.seed;
  while (std::gcd(stride, blocks) != 1)
    ++stride;
  return (step * stride + launch.seed) % blocks;
}

void runBlocks(const Launch &launch, void (*kernel)(void *), void *argument,
               Progress &progress) {
  Runner own(launch, kernel, argument);
  Runner *outer = std::exchange(runner, &own);
  uint64_t blocks = launch.grid.size(), block;
  while ((block = progress.next++) < blocks)
    if (!own.runBlock(permute(block, launch))) {
      std::lock_guard lock(progress.mutex);
      if (progress.failure.empty())
        progress.failure = own.failure;
      progress.next = blocks;
    }
  runner = outer;
}

Dim3 divide(uint64_t number, Dim3 sizes) {
  return {uint32_t(number % sizes.x), uint32_t(number / sizes.x % sizes.y),
          uint32_t(number / sizes.x / sizes.y)};
}
} // namespace

std::string mpc::emulation::launch(const Launch &launch, void (*kernel)(void *),
                                   void *argument) {
  if (launch.grid.size() == 0 || launch.block.size() == 0 ||
      launch.block.size() > 1024)
    return "expected a grid and blocks of 1 to 1024 threads, but got " +
           std::to_string(launch.grid.size()) + " blocks of " +
           std::to_string(launch.block.size()) + " threads";
  if (launch.checker) {
    if (launch.hostThreads > 1)
      return "checked kernels run on one host thread";
    launch.checker->beginLaunch();
  }
  Progress progress;
  std::vector<std::thread> workers;
  for (unsigned i = 1; i < launch.hostThreads; ++i)
    workers.emplace_back(
        [&] { runBlocks(launch, kernel, argument, progress); });
  runBlocks(launch, kernel, argument, progress);
  for (std::thread &worker : workers)
    worker.join();
  return progress.failure;
}

Dim3 mpc::emulation::getThreadIdx() {
  return divide(runner->running, runner->launch.block);
}
Dim3 mpc::emulation::getBlockIdx() {
  return divide(runner->block, runner->launch.grid);
}
Dim3 mpc::emulation::getBlockDim() { return runner->launch.block; }
Dim3 mpc::emulation::getGridDim() { return runner->launch.grid; }
uint32_t mpc::emulation::getThreadNumber() { return runner->running; }
void *mpc::emulation::getSharedMemory() { return runner->shared; }

uint32_t mpc::emulation::getWarpEpoch() {
  return runner->epochs[runner->running / kWarpSize];
}

void mpc::emulation::barrier(uint32_t site) {
  runner->getThread().site = site;
  runner->wait(State::AtBarrier);
}

static Shuffled waitForLanes(Collective collective, uint64_t value,
                             uint32_t mask) {
  Thread &thread = runner->getThread();
  thread.collective = collective;
  thread.value = value;
  thread.mask = mask;
  runner->wait(State::AtCollective);
  return thread.result;
}

Shuffled mpc::emulation::shuffle(ShuffleMode mode, uint64_t value,
                                 uint32_t offset, uint32_t width,
                                 uint32_t mask) {
  Thread &thread = runner->getThread();
  thread.mode = mode;
  thread.offset = offset;
  thread.width = width;
  return waitForLanes(Collective::Shuffle, value, mask);
}

uint32_t mpc::emulation::ballot(bool predicate, uint32_t mask) {
  return uint32_t(waitForLanes(Collective::Ballot, predicate, mask).value);
}

void mpc::emulation::synchronizeWarp(uint32_t mask) {
  waitForLanes(Collective::Synchronize, 0, mask);
}

void mpc::emulation::setFailure(const std::string &message) {
  runner->failure = "block " + std::to_string(runner->block) + ": thread " +
                    std::to_string(runner->running) + ": " + message;
}

void mpc::emulation::stop() {
  for (;;)
    runner->wait(State::Ended);
}
