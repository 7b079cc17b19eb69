// What the kernels are checked on.
#ifndef MPC_KERNELS_DRIVER_CASES_H
#define MPC_KERNELS_DRIVER_CASES_H

#include "kernels/MultiTensor.h"

namespace mpc::kernels {

/// Where tensors begin. Aligned: on 256 bytes. Together: some elements after
/// that, as many for all lists of a tensor. Apart: some elements after that,
/// not as many for all lists.
enum class Start { Aligned, Together, Apart };

struct Case {
  std::string name;
  MultiTensor op;
  std::vector<uint64_t> counts;
  Start start = Start::Aligned;
  bool inPlace = false; ///< results in the memory of their operands
  bool foundInf = false;
  int infs = 0, nans = 0; ///< gradients that are, at random places
  float scale = 1, coefficient = 1, learningRate = 1e-3f;
  int32_t step = 1;
  uint64_t seed = 0; ///< of the data
};

/// Every kernel, in every combination of types and flags.
std::vector<Case> makeCases();

/// Elements of the parameters of GPT-2 with 12 layers; width 768 and 50257
/// words make the 124 million of the original.
std::vector<uint64_t> gpt2Counts(uint64_t width, uint64_t words);
/// Of the multi-layer perceptron 784-512-512-10.
std::vector<uint64_t> mlpCounts();

/// "AdamW f16 gradients, bf16 copies".
std::string describe(const MultiTensor &op);

} // namespace mpc::kernels

#endif // MPC_KERNELS_DRIVER_CASES_H
