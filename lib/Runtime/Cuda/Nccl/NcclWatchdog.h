// A thread that looks after work with collectives on a device: if NCCL notices
// an error, somebody else knows that a rank is lost, or a step makes no
// progress for longer than the limit, it keeps the reason, and aborts the
// communicator, so that kernels that wait for a peer end and whoever waits for
// the device comes back.
//
// Each step is an event after its work. Time counts from when a step became
// the oldest that is not done, so a queue of many steps is no reason. Without
// steps the thread sleeps.
#ifndef MPC_LIB_RUNTIME_CUDA_NCCL_NCCLWATCHDOG_H
#define MPC_LIB_RUNTIME_CUDA_NCCL_NCCLWATCHDOG_H

#include "../Api/Handles.h"
#include "NcclCommunicator.h"

#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace mpc::runtime {

class NcclWatchdog {
public:
  using Duration = std::chrono::milliseconds;
  /// Steps that are watched one by one; later ones count as one with the last.
  static constexpr size_t kSteps = 16;

  /// `communicator` and `api` outlive it. `what` says what a step does, for
  /// messages.
  static Result<std::unique_ptr<NcclWatchdog>>
  start(const CudaApi &api, NcclCommunicator &communicator, int device,
        Duration limit, std::function<Status()> findLoss = {});
  /// Comes back as soon as an abort that has begun does.
  ~NcclWatchdog();
  NcclWatchdog(const NcclWatchdog &) = delete;
  NcclWatchdog &operator=(const NcclWatchdog &) = delete;

  /// Says what the steps do, for messages.
  void describe(std::string steps);
  /// A step has been put on `stream`.
  Status launched(cudaStream_t stream);
  /// The first failure, for ever.
  Status failure();

private:
  using Steady = std::chrono::steady_clock;
  NcclWatchdog(const CudaApi &api, NcclCommunicator &communicator, int device,
               Duration limit, std::function<Status()> findLoss);
  void run();
  /// Forgets steps that are done. The mutex is held.
  Status retire();
  /// What is wrong now, if anything. The mutex is held.
  Status inspect();

  const CudaApi &api;
  NcclCommunicator &communicator;
  int device;
  Duration limit, pause;
  const std::function<Status()> findLoss; ///< Of RankOptions; may be null.
  std::array<Event, kSteps> events;       ///< a ring
  size_t first = 0, pending = 0;
  Steady::time_point since; ///< the oldest step is the oldest

  std::mutex mutex;
  std::condition_variable wake;
  std::string steps;
  Status reason;
  bool stopping = false;
  std::thread thread;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_NCCL_NCCLWATCHDOG_H
