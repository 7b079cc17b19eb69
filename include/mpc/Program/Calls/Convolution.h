// Convolutions as calls: their operands by name, and how their windows lie.
#ifndef MPC_PROGRAM_CALLS_CONVOLUTION_H
#define MPC_PROGRAM_CALLS_CONVOLUTION_H

#include "mpc/Program/Calls.h"

namespace mpc::program {

/// Numbers of a convolution are below this, so that sums and products of two
/// are far from overflow.
constexpr int64_t kMaxConvolutionNumber = (int64_t(1) << 31) - 1;

/// The operands, one of the first three written. Views the call.
struct ConvolutionCall {
  /// `call` is a verified convolution.
  explicit ConvolutionCall(const Call &call);

  size_t spaceRank() const { return toSpan(input->shape()).size() - 2; }
  int64_t batch() const { return toSpan(input->shape())[0]; }
  int64_t channels() const { return toSpan(input->shape())[1]; }
  int64_t results() const { return toSpan(result->shape())[1]; }
  std::span<const int64_t> space() const {
    return toSpan(input->shape()).subspan(2);
  }
  std::span<const int64_t> kernel() const {
    return toSpan(weight->shape()).subspan(2);
  }
  std::span<const int64_t> resultSpace() const {
    return toSpan(result->shape()).subspan(2);
  }
  /// Elements from the first of the windows in dim `dim` of space to the last
  /// of the last one, both included.
  int64_t reach(size_t dim) const;
  /// Zeros behind the input that windows reach over, in that dim; below 0 where
  /// they do not come to its end.
  int64_t high(size_t dim) const {
    return reach(dim) - (*options.low())[dim] - space()[dim];
  }
  /// Whether all that some place of the kernel meets is zeros beside the input,
  /// so that the gradient is 0 there.
  bool hasPlaceOfZeros() const;

  const Convolution &options;
  const CallOperand *input, *weight, *result;
  const CallOperand *bias; ///< null: there is none
};

/// Whether the elements of `operand` lie without gaps, in whatever order of
/// dims.
bool isPermuted(const CallOperand &operand);

} // namespace mpc::program

#endif // MPC_PROGRAM_CALLS_CONVOLUTION_H
