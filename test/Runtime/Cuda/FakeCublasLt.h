// cuBLASLt on host memory, by NVIDIA's documentation of it: column-major
// matrices, D = epilogue(alpha op(A) op(B) + beta C), strided batches, plain
// loops. It answers CUBLAS_STATUS_INVALID_VALUE to what the documentation
// forbids, CUBLAS_STATUS_NOT_SUPPORTED to what it lists no support for.
//
// It knows nothing of mpc: that a row-major product comes out right through it
// is what the tests prove. Products are done when `submit` runs them: at once,
// or when a fake device launches a graph.
#ifndef MPC_TEST_RUNTIME_CUDA_FAKECUBLASLT_H
#define MPC_TEST_RUNTIME_CUDA_FAKECUBLASLT_H

#include "Runtime/Cuda/Api/CublasLtApi.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace mpc::runtime::fake {

/// Where work enqueued on a stream goes.
using Submit =
    std::function<void(cudaStream_t stream, std::function<void()> work)>;

/// One at a time; it takes the place of the library while it lives.
class FakeCublasLt {
public:
  FakeCublasLt();
  ~FakeCublasLt();
  FakeCublasLt(const FakeCublasLt &) = delete;
  FakeCublasLt &operator=(const FakeCublasLt &) = delete;

  const CublasLtApi &api() const { return table; }

  /// Called with the function's name at the start of each call that can fail;
  /// what it answers is the call's answer unless it is success.
  std::function<cublasStatus_t(const char *function)> interfere;
  Submit submit;
  /// Called when product `algorithm` (0 is the first proposal) is enqueued.
  std::function<void(uint64_t algorithm)> onMatmul;

  /// Told of each result when it is there.
  std::function<void(void *result)> onResult;

  size_t version = 130100;
  int computeCapability = 90;
  int proposals = 3; ///< how many algorithms there are for a product
  /// The epilogues that there is no algorithm for: NVIDIA lists what is
  /// defined, not what is there.
  std::set<uint32_t> lacking;
  uint64_t workspacePerProposal = 1024; ///< algorithm i takes i times this

  /// What the last proposal was asked with.
  struct Preferences {
    uint64_t workspace = 0;
    uint32_t reductionSchemes = CUBLASLT_REDUCTION_SCHEME_MASK;
    uint32_t alignment[4] = {256, 256, 256, 256}; ///< of A, B, C, D
  } asked;
  int heuristics = 0; ///< how often proposals were asked for
  int live = 0;       ///< handles and descriptors that are not destroyed

private:
  CublasLtApi table;
};

} // namespace mpc::runtime::fake

#endif // MPC_TEST_RUNTIME_CUDA_FAKECUBLASLT_H
