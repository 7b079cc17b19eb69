// Matrix products by cuBLASLt.
//
//   Result<std::unique_ptr<CublasLt>> library = CublasLt::create(...);
//   library->readPlans(text)                     optional
//   Result<CublasLtMatmul> product = library->make(matmul, pointers);  each
//   library->prepare(calls, workspace, stream)     before states have values
//   product.enqueue(stream, workspace)             inside the capture
//
// Everything is decided by `make`: descriptors, and the algorithm, which is a
// remembered plan if there is one, else the first that cuBLASLt proposes.
// `prepare` runs each product once, so that nothing is loaded for the first
// time inside a capture, and on request times the proposals.
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_CUBLASLT_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_CUBLASLT_H

#include "../../Api/CudaApi.h"
#include "../CallLibrary.h"
#include "CublasLtMatmul.h"
#include "MatmulTuner.h"
#include "PlanCache.h"

namespace mpc::runtime {

/// The device as cuBLASLt's choices depend on it.
struct BlasDevice {
  std::string name;          ///< "NVIDIA H200"
  int computeCapability = 0; ///< 90 for 9.0
};

struct CublasLtOptions {
  bool allowTf32 = false;
  /// The parts of a split product are added in a fixed order. Otherwise also in
  /// the order in which they finish, where that does not round partial sums.
  bool deterministic = true;
  /// How many proposals are asked for, at least 1.
  int candidates = 8;
  /// Milliseconds of all `prepare` calls together that may go into timing; 0:
  /// the first proposal is taken.
  double tuningBudget = 0;
  Clock clock = getSteadyClock(); ///< of the budget
  Log log = {};
};

class CublasLt final : public CallLibrary {
public:
  /// `api` and `cuda` outlive it. The calling thread's device is the one.
  static Result<std::unique_ptr<CublasLt>> create(const CublasLtApi &api,
                                                  const CudaApi &cuda,
                                                  const BlasDevice &device,
                                                  CublasLtOptions options);
  ~CublasLt() override;
  CublasLt(const CublasLt &) = delete;
  CublasLt &operator=(const CublasLt &) = delete;

  static uint64_t workspaceBytes(int computeCapability);
  uint64_t workspaceBytes(const program::Call &) const override {
    return workspaceBytes(device.computeCapability);
  }

  /// A product on these addresses. `mayBePlain`: somebody else can do what
  /// stands beside it (bias, function, sums; an addend is cuBLASLt's own);
  /// where it has no algorithm for all of it the product is then made plain,
  /// with a line to the log. Fails with InvalidProgram for what cuBLASLt has no
  /// call for, and with LibraryError where it has no algorithm.
  Result<CublasLtMatmul> make(const program::Call &call,
                              const MatmulPointers &pointers,
                              bool mayBePlain = false);
  Result<std::unique_ptr<LibraryCall>> makeCall(const program::Call &call,
                                                std::span<void *const> args,
                                                bool mayBePlain) override;

  /// Budget permitting, changes products to the fastest proposal.
  Status prepare(std::span<LibraryCall *const> calls, void *workspace,
                 cudaStream_t stream) override;

  /// See PlanCache. Reading has an effect on what is made afterwards.
  std::string writePlans() const override { return plans.write(); }
  Status readPlans(std::string_view text) override {
    return plans.read(text, options.log);
  }

private:
  CublasLt(const CublasLtApi &api, const CudaApi &cuda,
           const BlasDevice &device, CublasLtOptions options);
  std::string nameProduct(const BlasProduct &product,
                          const BlasAlignments &alignments) const;
  /// Nothing if there is no algorithm.
  Result<std::optional<CublasLtMatmul>> plan(BlasProduct product,
                                             const MatmulPointers &pointers,
                                             const std::string &text);
  Result<bool> choose(CublasLtMatmul &product,
                      const BlasAlignments &alignments);
  bool recall(CublasLtMatmul &product);
  /// None if there is no algorithm.
  Result<std::vector<MatmulPlan>> propose(const CublasLtMatmul &product,
                                          const BlasAlignments &alignments);
  /// `lacksTail`: the plain product might have one, but would not be enough.
  Status noAlgorithm(bool lacksTail) const;
  uint32_t reductionSchemes(const BlasProduct &product) const;

  const CublasLtApi &api;
  const CudaApi &cuda;
  BlasDevice device;
  CublasLtOptions options;
  cublasLtHandle_t handle = nullptr;
  PlanCache plans;
  double budgetLeft; ///< milliseconds
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_CUBLASLT_H
