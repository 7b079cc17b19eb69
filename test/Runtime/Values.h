// Tensors of calls in tests: bytes of a type, and the numbers they stand for.
#ifndef MPC_TEST_RUNTIME_VALUES_H
#define MPC_TEST_RUNTIME_VALUES_H

#include "HandMade.h"

#include <cstring>

namespace mpc::test {

constexpr ElementType F64 = ElementType::F64, F32 = ElementType::F32,
                      F16 = ElementType::F16, BF16 = ElementType::BF16;

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

/// Normal with deviation 1, rounded to the type.
Values makeRandom(ElementType type, int64_t count, uint32_t seed);

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_VALUES_H
