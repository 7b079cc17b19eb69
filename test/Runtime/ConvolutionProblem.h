// A convolution, or one of its gradients, with random operands: as a call, and
// by its definition in f64.
#ifndef MPC_TEST_RUNTIME_CONVOLUTIONPROBLEM_H
#define MPC_TEST_RUNTIME_CONVOLUTIONPROBLEM_H

#include "Values.h"

#include <optional>

namespace mpc::test {

struct ConvolutionSpec {
  int64_t batch = 2, channels = 3, results = 4, groups = 1;
  Dims space = {6, 5}, kernel = {3, 3};
  Dims strides = {1, 1}, low = {0, 0}, high = {0, 0}, dilations = {1, 1};
  bool isLast = true;       ///< channels last
  bool turnsWeight = false; ///< which lies the other way
  ElementType type = F32;
  bool isWide = false;                  ///< what is written is f32
  std::optional<ElementType> bias = {}; ///< its type, if the result has one

  Dims resultSpace() const;
};

/// The three tensors of a convolution, in the order of a call.
enum class ConvolutionTensor : size_t { Input, Weight, Result };
constexpr ConvolutionTensor kConvolutionTensors[] = {ConvolutionTensor::Input,
                                                     ConvolutionTensor::Weight,
                                                     ConvolutionTensor::Result};
/// "bf16 convolution of 2 images of [6, 5] ...": for messages of failed checks.
std::string describe(const ConvolutionSpec &spec, ConvolutionTensor written);

program::CallT makeCall(const ConvolutionSpec &spec, ConvolutionTensor written);

class ConvolutionProblem {
public:
  ConvolutionProblem(const ConvolutionSpec &spec, ConvolutionTensor written);

  const program::CallT &call() const { return made; }
  /// Bytes of all three tensors, and of the bias if the result is written and
  /// has one; those of what is written are for others to
  /// fill.
  const std::vector<Values> &tensors() const { return values; }
  /// Memory for what is written.
  Values makeResult() const;
  /// The largest difference of an element of `result` from the sum that it
  /// should be, by what a sum in f32 (f64), rounded once, may be wrong.
  double worstError(const Values &result) const;

private:
  /// The definition; with `ofSizes`, of absolute values.
  std::vector<double> sum(bool ofSizes) const;
  size_t locate(ConvolutionTensor tensor, int64_t a, int64_t b,
                const Dims &at) const;

  ConvolutionSpec spec;
  size_t written;
  program::CallT made;
  std::vector<Values> values;
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_CONVOLUTIONPROBLEM_H
