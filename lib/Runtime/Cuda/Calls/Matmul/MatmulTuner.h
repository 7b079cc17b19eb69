// Finds the fastest proposal for each product by running all of them on the
// addresses that they will have, full of random numbers: nothing has been
// written there, and a device multiplies zeros with less power, so faster.
//
// Proposals take turns (a b c a b c), so that what disturbs the device meets
// them all, and are compared by their medians. A product's share of the budget
// is what is left divided by the products that are left; timing one stops when
// its share is used up or kRounds are done. The first round is not counted: it
// loads kernels.
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_MATMULTUNER_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_MATMULTUNER_H

#include "../../Api/CudaApi.h"
#include "CublasLtMatmul.h"

#include <functional>

namespace mpc::runtime {

/// Milliseconds since some moment in the past.
using Clock = std::function<double()>;
Clock getSteadyClock();

class MatmulTuner {
public:
  static constexpr int kRounds = 20;

  /// `budget`: milliseconds that the caller may spend here.
  MatmulTuner(const CudaApi &cuda, double budget, const Clock &clock,
              const Log &log);
  ~MatmulTuner();
  MatmulTuner(const MatmulTuner &) = delete;
  MatmulTuner &operator=(const MatmulTuner &) = delete;

  /// The fastest candidate of `product`, with its time, after what it reads has
  /// been overwritten; its plan as it is if
  /// the budget did not last for one round of all. `left`: products to tune,
  /// this one among them.
  Result<MatmulPlan> tune(CublasLtMatmul &product, size_t left, void *workspace,
                          cudaStream_t stream);
  /// Milliseconds of the budget that are left, at least 0.
  double budgetLeft() const;

private:
  using Samples = std::vector<std::vector<float>>;
  Result<cudaEvent_t> event(size_t index);
  Status fill(const ReadMemory &memory, cudaStream_t stream);
  Result<bool> runRound(CublasLtMatmul &product, void *workspace,
                        cudaStream_t stream, Samples *samples);

  const CudaApi &cuda;
  const Clock &clock;
  double end; ///< of the budget
  const Log &log;
  std::vector<cudaEvent_t> events;
  std::vector<bool> failed;      ///< candidates of the product that do not run
  std::vector<uint16_t> numbers; ///< what operands are filled with
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_MATMULTUNER_H
