// The tensors of one convolution: which is written, and their addresses.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_CONVOLUTION_CONVOLUTIONOPERANDS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_CONVOLUTION_CONVOLUTIONOPERANDS_H

#include "mpc/Program/Calls/Convolution.h"

#include <optional>

namespace mpc::runtime {

enum class Written { Result, Input, Weight };

inline Written getWritten(const program::ConvolutionCall &call) {
  return call.result->written()  ? Written::Result
         : call.input->written() ? Written::Input
                                 : Written::Weight;
}

/// Addresses; one of the first three is written.
struct ConvolutionOperands {
  void *input = nullptr, *weight = nullptr, *result = nullptr;
  void *bias = nullptr; ///< null: there is none
};

/// Where each operand is among the arguments of a call.
class ConvolutionArguments {
public:
  explicit ConvolutionArguments(const program::Call &call)
      : input(*findOperand(call, program::OperandRole::Input)),
        weight(*findOperand(call, program::OperandRole::Weight)),
        result(*findOperand(call, program::OperandRole::Result)),
        bias(findOperand(call, program::OperandRole::Bias)) {}

  ConvolutionOperands pick(void *const *args) const {
    return {args[input], args[weight], args[result],
            bias ? args[*bias] : nullptr};
  }

private:
  uint32_t input, weight, result;
  std::optional<uint32_t> bias;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_CONVOLUTION_CONVOLUTIONOPERANDS_H
