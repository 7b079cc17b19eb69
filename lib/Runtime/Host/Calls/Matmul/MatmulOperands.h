// The addresses of one product, by the names of its operands.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_MATMULOPERANDS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_MATMULOPERANDS_H

#include "mpc/Program/Calls.h"

namespace mpc::runtime {

struct MatmulOperands {
  const void *lhs = nullptr, *rhs = nullptr;
  void *result = nullptr;
  const void *bias = nullptr; ///< null if there is none
};

/// Where each operand is among the arguments of a call.
class MatmulArguments {
public:
  explicit MatmulArguments(const program::Call &call)
      : lhs(*findOperand(call, program::OperandRole::Lhs)),
        rhs(*findOperand(call, program::OperandRole::Rhs)),
        result(*findOperand(call, program::OperandRole::Result)),
        bias(findOperand(call, program::OperandRole::Bias)) {}

  MatmulOperands pick(void *const *args) const {
    return {args[lhs], args[rhs], args[result], bias ? args[*bias] : nullptr};
  }

  uint32_t rightNumber() const { return rhs; }

private:
  uint32_t lhs, rhs, result;
  std::optional<uint32_t> bias;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_MATMULOPERANDS_H
