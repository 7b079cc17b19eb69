// A call by a plan of cuDNN, on fixed addresses.
#ifndef MPC_LIB_RUNTIME_CUDA_CUDNN_PLANNEDCALL_H
#define MPC_LIB_RUNTIME_CUDA_CUDNN_PLANNEDCALL_H

#include "../Calls/CallLibrary.h"
#include "Library.h"

namespace mpc::runtime {

/// Bytes that engines find addresses at a multiple of.
constexpr uintptr_t kCudnnAlignment = 16;

class PlannedCall final : public LibraryCall {
public:
  /// Library and plan outlive it. Both maps are by the roles of the graph:
  /// where tensors lie, and how far behind the plan's own workspace those lie
  /// that the graph has there.
  PlannedCall(const CudnnLibrary &library, const Plan &plan,
              std::map<int, void *> addresses,
              std::map<int, uint64_t> insideWorkspace = {})
      : library(library), plan(plan), addresses(std::move(addresses)),
        insideWorkspace(std::move(insideWorkspace)) {}

  Status enqueue(cudaStream_t stream, void *workspace) override;

private:
  Status bind(void *workspace);

  const CudnnLibrary &library;
  const Plan &plan;
  std::map<int, void *> addresses;
  std::map<int, uint64_t> insideWorkspace;
  Descriptor bound;
  void *boundTo = nullptr; ///< the workspace of `bound`
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CUDNN_PLANNEDCALL_H
