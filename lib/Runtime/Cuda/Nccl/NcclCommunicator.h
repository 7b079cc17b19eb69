// NCCL's communicator as an object: made without blocking, so that a rank that
// never comes is an error after a while and not a wait for ever; aborted at
// most once; given back in bounded time.
//
// One made by the application is used, but never destroyed or aborted.
#ifndef MPC_LIB_RUNTIME_CUDA_NCCL_NCCLCOMMUNICATOR_H
#define MPC_LIB_RUNTIME_CUDA_NCCL_NCCLCOMMUNICATOR_H

#include "../Api/NcclApi.h"
#include "mpc/Runtime/DeviceOptions.h"

#include <atomic>
#include <chrono>
#include <memory>

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
  /// Not after `abort`.
  ncclComm_t get() const { return handle; }
  /// Waits until NCCL has done what a call that returned `result` began.
  /// Fails with what NCCL says, or with CollectiveTimedOut.
  Status settle(ncclResult_t result, std::string_view what);
  /// What NCCL has noticed meanwhile; does not wait. Any thread.
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
  /// Whether it ended in time.
  bool waitWhileInProgress(Duration most, ncclResult_t &result);

  const NcclApi &api;
  Duration limit;
  bool ours;
  ncclComm_t handle = nullptr;
  uint32_t number = 0, count = 0;
  std::atomic<bool> aborted = false;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_NCCL_NCCLCOMMUNICATOR_H
