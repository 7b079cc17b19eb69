// A product with random operands, as the runtime computes it and by a loop in
// f64: at most twice the error of a plain loop in the same type, plus a floor
// of the result's precision. And the same bits on any number of threads.
#ifndef MPC_TEST_RUNTIME_MATMULPROBLEM_H
#define MPC_TEST_RUNTIME_MATMULPROBLEM_H

#include "../../lib/Runtime/Host/Calls/Matmul/PackedMatmul.h"
#include "HandMade.h"

#include <cstring>
#include <gtest/gtest.h>

namespace mpc::test {

int64_t countOf(const Dims &dims);

/// A tensor as bytes of its type and as the doubles they stand for.
struct Values {
  Values(ElementType type, int64_t count)
      : type(type), bytes(count * getInfo(static_cast<DType>(type)).bytes),
        exact(count) {}
  void set(int64_t i, double value) {
    auto put = [&](auto bits) {
      std::memcpy(bytes.data() + i * sizeof bits, &bits, sizeof bits);
    };
    if (type == ElementType::F64)
      put(value);
    else if (type == ElementType::F32)
      put(static_cast<float>(value));
    else if (type == ElementType::F16)
      put(floatToHalf(static_cast<float>(value)));
    else
      put(floatToBFloat(static_cast<float>(value)));
  }
  void decode() {
    for (size_t i = 0; i < exact.size(); ++i)
      exact[i] = get(i);
  }
  double get(size_t i) const {
    double wide;
    float single;
    uint16_t half;
    if (type == ElementType::F64)
      return std::memcpy(&wide, bytes.data() + 8 * i, 8), wide;
    if (type == ElementType::F32)
      return std::memcpy(&single, bytes.data() + 4 * i, 4), single;
    std::memcpy(&half, bytes.data() + 2 * i, 2);
    return type == ElementType::F16 ? halfToFloat(half) : bfloatToFloat(half);
  }
  ElementType type;
  std::vector<uint8_t> bytes;
  std::vector<double> exact;
};

Values makeRandom(ElementType type, int64_t count, uint32_t seed);

/// The definition, with sums in f64.
std::vector<double> computeExactly(const MatmulSpec &spec, const Values &lhs,
                                   const Values &rhs, const Values &bias);

/// `args`: one per operand; what is written goes to `result`.
std::vector<uint8_t> runCall(const CallT &call, std::vector<const void *> args,
                             Values result, uint32_t threads);
std::vector<uint8_t> runProduct(const MatmulSpec &spec, const Values &lhs,
                                const Values &rhs, const Values &bias,
                                uint32_t threads);

double maxError(const std::vector<double> &values,
                const std::vector<double> &truth);

/// Expects right numbers, and the same bits on 1, 2, 3 and 7 threads.
void checkProduct(const MatmulSpec &spec);

constexpr ElementType F64 = ElementType::F64, F32 = ElementType::F32,
                      F16 = ElementType::F16, BF16 = ElementType::BF16;
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
