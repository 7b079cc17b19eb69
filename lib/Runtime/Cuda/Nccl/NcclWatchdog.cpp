#include "NcclWatchdog.h"

#include "mpc/Runtime/Collective.h"

#include <algorithm>
#include <pthread.h>

using namespace mpc;
using namespace mpc::runtime;

NcclWatchdog::NcclWatchdog(const CudaApi &api, NcclCommunicator &communicator,
                           int device, Duration limit,
                           std::function<Status()> findLoss)
    : api(api), communicator(communicator), device(device), limit(limit),
      // Fine enough for the limit, and no more than ten times a second.
      pause(std::clamp(limit / 10, Duration(1), Duration(100))),
      findLoss(std::move(findLoss)) {}

Result<std::unique_ptr<NcclWatchdog>>
NcclWatchdog::start(const CudaApi &api, NcclCommunicator &communicator,
                    int device, Duration limit,
                    std::function<Status()> findLoss) {
  std::unique_ptr<NcclWatchdog> made(
      new NcclWatchdog(api, communicator, device, limit, std::move(findLoss)));
  for (Event &event : made->events) {
    Result<Event> result = makeEvent(api);
    if (!result)
      return result.status();
    event = std::move(*result);
  }
  made->thread = std::thread([dog = made.get()] { dog->run(); });
  // 15 characters at most.
  (void)pthread_setname_np(made->thread.native_handle(), "mpc-nccl-watch");
  return made;
}

NcclWatchdog::~NcclWatchdog() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  if (thread.joinable())
    thread.join();
}

void NcclWatchdog::describe(std::string what) {
  std::lock_guard<std::mutex> lock(mutex);
  steps = std::move(what);
}

Status NcclWatchdog::failure() {
  std::lock_guard<std::mutex> lock(mutex);
  return reason;
}

Status NcclWatchdog::launched(cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!reason.ok())
    return reason;
  // With all events in use the last one is moved after this step.
  size_t count = std::min(pending + 1, kSteps);
  size_t last = (first + count - 1) % kSteps;
  if (Status status =
          makeStatus(api, api.cudaEventRecord(events[last].get(), stream),
                     "cudaEventRecord after collectives");
      !status.ok())
    return status;
  bool idle = pending == 0;
  pending = count;
  if (idle) {
    since = Steady::now();
    wake.notify_all();
  }
  return {};
}

Status NcclWatchdog::retire() {
  while (pending > 0) {
    cudaError_t state = api.cudaEventQuery(events[first].get());
    if (state == cudaErrorNotReady)
      return {};
    if (state != cudaSuccess)
      return makeStatus(api, state, "waiting for collectives");
    first = (first + 1) % kSteps;
    --pending;
    since = Steady::now();
  }
  return {};
}

static std::string formatSeconds(std::chrono::milliseconds time) {
  return std::to_string(time.count() / 1000) + "." +
         std::to_string(time.count() / 100 % 10) + " s";
}

Status NcclWatchdog::inspect() {
  Status status = retire();
  if (status.ok())
    status = communicator.check();
  if (status.ok() && pending > 0 && findLoss)
    status = findLoss();
  auto elapsed = std::chrono::duration_cast<Duration>(Steady::now() - since);
  if (status.ok() && pending > 0 && elapsed > limit)
    status = {StatusCode::CollectiveTimedOut,
              "no progress for " + formatSeconds(elapsed) + ", the limit is " +
                  formatSeconds(limit) +
                  "; check that all ranks run and take the same steps"};
  if (status.ok())
    return {};
  status = makeCollectiveFailure(communicator.rank(), communicator.size(),
                                 steps, status);
  if (communicator.isOurs())
    return status;
  return {status.code(),
          status.message() + "; the application must abort its communicator"};
}

void NcclWatchdog::run() {
  Status usable = makeStatus(api, api.cudaSetDevice(device), "cudaSetDevice");
  std::unique_lock<std::mutex> lock(mutex);
  reason = usable;
  while (!stopping && reason.ok()) {
    if (pending == 0)
      wake.wait(lock, [&] { return stopping || pending > 0; });
    else
      wake.wait_for(lock, pause, [&] { return stopping; });
    if (!stopping)
      reason = inspect();
  }
  if (reason.ok())
    return;
  // The reason is known before the device comes back, which it does through
  // the abort: whoever waited finds it.
  lock.unlock();
  communicator.abort();
}
