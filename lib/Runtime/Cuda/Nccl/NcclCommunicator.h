// NCCL's communicator as an object: made without blocking, so that a rank that
// never comes is an error after a while and not a wait for ever; aborted at
// most once; given back in bounded time.
//
// NCCL wants one thread at a time in a communicator: a question for errors,
// too, completes what was begun without blocking and frees it. So all calls of
// a session hold one lock, and none comes after an abort.
//
// One made by the application is used, but never destroyed or aborted.
#ifndef MPC_LIB_RUNTIME_CUDA_NCCL_NCCLCOMMUNICATOR_H
#define MPC_LIB_RUNTIME_CUDA_NCCL_NCCLCOMMUNICATOR_H

#include "../Api/NcclApi.h"
#include "mpc/Runtime/DeviceOptions.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace mpc::runtime {

/// CollectiveFailed: "ncclAllReduce: internal error (3), <NCCL's last words>".
/// OK for ncclSuccess.
Status makeStatus(const NcclApi &api, ncclResult_t result,
                  std::string_view what, ncclComm_t communicator = nullptr);

/// The bytes of a new ncclUniqueId, for RankOptions::uniqueId of all ranks.
Result<std::vector<uint8_t>> makeUniqueId(const NcclApi &api);

class NcclCommunicator {
public:
  using Duration = std::chrono::milliseconds;
  /// How long giving back a communicator may take before it is aborted.
  static constexpr Duration kFarewell = Duration(5000);

  /// Joins the group that `ranks` describes, or takes the caller's. Waits for
  /// the other ranks, at most the time limit of `ranks`.
  static Result<std::unique_ptr<NcclCommunicator>>
  open(const NcclApi &api, const RankOptions &ranks);
  /// Graphs with its collectives must have been destroyed: NCCL waits for that.
  ~NcclCommunicator();
  NcclCommunicator(const NcclCommunicator &) = delete;
  NcclCommunicator &operator=(const NcclCommunicator &) = delete;

  uint32_t rank() const { return number; }
  uint32_t size() const { return count; }
  bool isOurs() const { return ours; }
  /// Calls of NCCL on the communicator; the answer of the last one, which may
  /// be "in progress".
  using Calls = std::function<ncclResult_t(ncclComm_t)>;
  /// Runs `calls` with no other thread in the communicator, then waits until
  /// NCCL has done what they began. Fails with what NCCL says of `what`, with
  /// CollectiveTimedOut, or because the communicator was aborted.
  Status run(const Calls &calls, std::string_view what);
  /// What NCCL has noticed meanwhile; does not wait, and asks nothing while
  /// another thread is in a call, which learns of errors itself. Any thread.
  Status check();
  /// Ends what runs on the device, on this rank only. NCCL frees a communicator
  /// of ours, and does not come back before the graphs with its collectives
  /// are destroyed; the caller's is only revoked, where NCCL can do that. Any
  /// thread, once.
  void abort();

private:
  NcclCommunicator(const NcclApi &api, const RankOptions &ranks)
      : api(api), limit(ranks.timeoutMilliseconds),
        ours(ranks.communicator == nullptr) {}
  Status join(const RankOptions &ranks);
  Status adopt(void *communicator);
  /// Runs `calls` unless the communicator was aborted (nothing then).
  std::optional<ncclResult_t> call(const Calls &calls);
  /// What NCCL answers at last; "in progress" when time is over.
  std::optional<ncclResult_t> waitWhileInProgress(Duration most,
                                                  ncclResult_t result);

  const NcclApi &api;
  Duration limit;
  bool ours;
  ncclComm_t handle = nullptr;
  uint32_t number = 0, count = 0;
  std::mutex inUse; ///< held in calls on `handle`
  std::atomic<bool> aborted = false;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_NCCL_NCCLCOMMUNICATOR_H
