// Modules of graph functions whose kernels are tested, one function per case.
#ifndef MPC_TEST_NUMERICS_KERNELS_CASES_H
#define MPC_TEST_NUMERICS_KERNELS_CASES_H

#include <string>

namespace mpc::test {

std::string makeUnaryCases();
/// Ops that are defined for positive numbers only.
std::string makePositiveCases();
std::string makeBinaryCases();
std::string makeCastCases();
/// Of rank 0, in 16 bits: alone, and behind and before ops that compute in f64.
std::string makeScalarCases();
std::string makeReductionCases();
std::string makeMovementCases();
/// Gathers, alone and with what a kernel may compute beside them.
std::string makeIndexingCases();
/// Values of 16 bits that several ops read.
std::string makeReaderCases();
/// What copies, compares and sums elements by their place; products.
std::string makePlaceCases();
/// Slices with steps, and windows.
std::string makeWindowCases();
/// Pools, resized tensors and shuffled pixels.
std::string makeSpaceCases();
/// Reductions with two results.
std::string makeWithIndexCases();
/// softmax, layer_norm, SGD, loss scaling.
std::string makeCompositeCases();
std::string makeLossCases();
/// Rows and columns of the same tensors.
std::string makePartCases();
/// Every optimizer; moments are sums of squares, so inputs are positive.
std::string makeUpdateCases();
/// Kahan's and stochastic rounding, and random bits.
std::string makeRoundingCases();
/// Exponentials in f32 beside larger tensors of 16 bits.
std::string makeApproximationCases();
/// More elements than one block of a GPU takes.
std::string makeWideCases();
/// Every op rounds.
std::string makeStrictCases();

} // namespace mpc::test

#endif // MPC_TEST_NUMERICS_KERNELS_CASES_H
