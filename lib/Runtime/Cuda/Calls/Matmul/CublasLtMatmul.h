// One matrix product on fixed addresses, ready to be enqueued.
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_CUBLASLTMATMUL_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_CUBLASLTMATMUL_H

#include "../CallLibrary.h"
#include "BlasDescriptors.h"
#include "PlanCache.h"

namespace mpc::runtime {

class CublasLtMatmul final : public LibraryCall {
public:
  Status enqueue(cudaStream_t stream, void *workspace) override;
  /// Of `workspace`, what its algorithm uses.
  uint64_t workspaceBytes() const { return plan.workspaceBytes; }
  /// Equal for products that one plan serves.
  const std::string &key() const { return name; }
  bool isPlain() const override { return plain; }

private:
  friend class CublasLt;
  friend class MatmulTuner;
  CublasLtMatmul(const CublasLtApi &api, cublasLtHandle_t handle,
                 BlasProduct product, const MatmulPointers &pointers,
                 BlasDescriptors descriptors, std::string text)
      : api(&api), handle(handle), product(std::move(product)),
        pointers(pointers), descriptors(std::move(descriptors)),
        text(std::move(text)) {}
  Status enqueue(cudaStream_t stream, void *workspace, const MatmulPlan &with);

  const CublasLtApi *api;
  cublasLtHandle_t handle;
  BlasProduct product;
  MatmulPointers pointers;
  BlasDescriptors descriptors;
  std::string text; ///< for people
  std::string name; ///< for the cache
  MatmulPlan plan;
  /// What could be timed; empty if the plan is known to be the best.
  std::vector<MatmulPlan> candidates;
  std::vector<ReadMemory> reads; ///< Of the call, where it is to be timed.
  bool plain = false;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_CUBLASLTMATMUL_H
