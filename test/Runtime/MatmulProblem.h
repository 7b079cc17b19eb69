// A product with random operands, as the runtime computes it and by a loop in
// f64: at most twice the error of a plain loop in the same type, plus a floor
// of the result's precision. And the same bits on any number of threads.
#ifndef MPC_TEST_RUNTIME_MATMULPROBLEM_H
#define MPC_TEST_RUNTIME_MATMULPROBLEM_H

#include "../../lib/Runtime/Host/Calls/Matmul/PackedMatmul.h"
#include "Values.h"

#include <gtest/gtest.h>

namespace mpc::test {

/// The definition, with sums in f64.
std::vector<double> computeExactly(const MatmulSpec &spec, const Values &lhs,
                                   const Values &rhs, const Values &bias);

/// `args`: one per operand; what is written goes to `result`.
std::vector<uint8_t> runCall(const CallT &call, std::vector<const void *> args,
                             Values result, uint32_t threads);
/// `keeps`: the right matrix, where the call can.
std::vector<uint8_t> runProduct(const MatmulSpec &spec, const Values &lhs,
                                const Values &rhs, const Values &bias,
                                uint32_t threads, bool keeps = false);

double maxError(const std::vector<double> &values,
                const std::vector<double> &truth);

/// Expects right numbers, and the same bits on 1, 2, 3 and 7 threads, with a
/// right matrix that is kept, too.
void checkProduct(const MatmulSpec &spec);

constexpr std::pair<ElementType, ElementType> kTypes[] = {
    {F64, F64}, {F32, F32}, {F16, F16}, {BF16, BF16}, {F16, F32}, {BF16, F32}};

std::string describe(const MatmulSpec &spec);

/// While it lives, all but f64 is multiplied by these kernels of ours, whatever
/// the runtime would choose.
class UseKernels {
public:
  explicit UseKernels(const runtime::packed::Kernels &kernels);
  ~UseKernels();
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_MATMULPROBLEM_H
