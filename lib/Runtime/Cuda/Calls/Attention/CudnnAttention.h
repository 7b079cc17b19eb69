// Attention by cuDNN: a plan for each problem, shared by the calls that have
// it. cuDNN is opened when the first call comes that it may take.
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_ATTENTION_CUDNNATTENTION_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_ATTENTION_CUDNNATTENTION_H

#include "../../Cudnn/PlannedCall.h"
#include "mpc/Program/Calls/Attention.h"

namespace mpc::runtime {

/// "bf16 attention [2, 1024, 12, 64] by 12 heads of 1024 keys, causal".
std::string describe(const program::AttentionCall &call);

class CudnnAttention {
public:
  /// Outlived by the context but for its log.
  explicit CudnnAttention(const LibraryContext &context);

  /// The plan for a call; null where kernels of our own make it. Which it is,
  /// and why, is logged once for each problem.
  const Plan *find(const program::AttentionCall &call);
  /// Of the plan, and of what its graph keeps there.
  static uint64_t workspaceBytes(const program::AttentionCall &call,
                                 const Plan &plan);
  /// `args`: of `call`, at multiples of 16. The plan is one that find gave.
  std::unique_ptr<LibraryCall> makeCall(const program::Call &call,
                                        const Plan &plan,
                                        std::span<void *const> args);

private:
  static CudnnProblem identify(const program::AttentionCall &call);

  Result<Plan> make(const program::AttentionCall &call);

  CudnnLibrary library;
  bool own, nondeterministic; ///< as the options say
  Log log;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_ATTENTION_CUDNNATTENTION_H
