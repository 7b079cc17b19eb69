// Collectives by NCCL: the tensors of a bucket in one group, so that NCCL moves
// them together. Averages are NCCL's own (ncclAvg), which divides before it
// adds: a 16-bit sum over many ranks does not overflow.
#ifndef MPC_LIB_RUNTIME_CUDA_NCCL_NCCLCOLLECTIVES_H
#define MPC_LIB_RUNTIME_CUDA_NCCL_NCCLCOLLECTIVES_H

#include "../Collectives.h"
#include "NcclWatchdog.h"
#include "mpc/Runtime/Log.h"

namespace mpc::runtime {

class NcclCollectives final : public Collectives {
public:
  /// Joins the group of `ranks`, which is given, on the current device, number
  /// `device`. Waits for the other ranks.
  static Result<std::unique_ptr<Collectives>> open(const NcclApi &nccl,
                                                   const CudaApi &cuda,
                                                   const RankOptions &ranks,
                                                   int device, const Log &log);

  uint32_t rank() const override { return communicator->rank(); }
  Status enqueue(const program::Collective &collective,
                 std::span<void *const> arguments,
                 cudaStream_t stream) override;
  Status launched(cudaStream_t stream) override;
  Status check() override;

private:
  explicit NcclCollectives(const NcclApi &nccl) : nccl(nccl) {}
  Status enqueueGroup(const program::Collective &collective,
                      ncclDataType_t type, std::span<void *const> arguments,
                      cudaStream_t stream);
  void remember(const program::Collective &collective);

  const NcclApi &nccl;
  // The watchdog looks at the communicator, so it goes first.
  std::unique_ptr<NcclCommunicator> communicator;
  std::unique_ptr<NcclWatchdog> watchdog;
  std::string largest; ///< of the collectives, in words
  uint64_t largestBytes = 0, totalBytes = 0, collectives = 0;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_NCCL_NCCLCOLLECTIVES_H
