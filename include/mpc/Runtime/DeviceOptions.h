// What the application decides about a GPU. Target "cpu" refuses all but the
// defaults: no option is without effect.
#ifndef MPC_RUNTIME_DEVICEOPTIONS_H
#define MPC_RUNTIME_DEVICEOPTIONS_H

#include "mpc/Support/Status.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mpc::runtime {

/// The group of ranks that train one model, over NCCL. At most one of
/// `communicator` and `uniqueId` is given; none: a single rank.
struct RankOptions {
  void *communicator = nullptr; ///< the caller's ncclComm_t; never destroyed
  /// ncclUniqueId, made on rank 0 and handed to all; this process is `rank` of
  /// `size`.
  std::vector<uint8_t> uniqueId;
  uint32_t rank = 0, size = 1;
  /// After this long without progress a collective counts as failed.
  uint32_t timeoutMilliseconds = 600000;
  /// Whether another rank is lost, as somebody else knows: asked by a thread of
  /// the session, every tenth of a second at least, while a step is under way,
  /// which is aborted then. Null: nobody knows.
  std::function<Status()> findLoss = {};

  bool given() const { return communicator || !uniqueId.empty(); }
};

struct DeviceOptions {
  uint32_t ordinal = 0;   ///< as the CUDA runtime counts devices
  std::string pluginPath; ///< libmpcrt_cuda.so; empty: searched
  /// The caller's cudaStream_t; null: a stream of the session's own.
  void *stream = nullptr;
  /// Whether sums may depend on the order in which blocks finish.
  bool allowNondeterministic = false;
  /// Whether matrix products and convolutions of f32 may round their operands
  /// to tf32 (10 bits).
  bool allowTf32 = false;
  /// Whether attention runs by kernels of mpc's own where cuDNN takes it too.
  bool ownAttention = false;
  bool nvtx = false; ///< name the records for a profiler
  /// Time for trying plans of matrix products on the device; 0: the library's
  /// heuristic decides.
  uint32_t tuningMilliseconds = 0;
  std::vector<uint8_t> plans; ///< of Executor::exportPlans, or none
  RankOptions ranks;
};

} // namespace mpc::runtime

#endif // MPC_RUNTIME_DEVICEOPTIONS_H
