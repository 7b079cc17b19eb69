// What ranks bring to a collective, and what comes of it.
#ifndef MPC_TEST_RANKS_RANKVALUES_H
#define MPC_TEST_RANKS_RANKVALUES_H

#include <cmath>
#include <cstdint>
#include <vector>

namespace mpc::test {

/// Element i of a rank: of many sizes, so that the order of a sum shows.
inline float valueOf(uint32_t rank, uint64_t i) {
  // The finalizer of splitmix64.
  uint64_t bits = (i + 1) * 0x9e3779b97f4a7c15 + rank * 0xd1b54a32d192ed03;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  auto number = static_cast<float>(static_cast<int32_t>(bits));
  return std::ldexp(number, int(bits >> 32 & 31) - 48);
}

inline std::vector<float> makeValues(uint32_t rank, uint64_t count) {
  std::vector<float> values(count);
  for (uint64_t i = 0; i < count; ++i)
    values[i] = valueOf(rank, i);
  return values;
}

/// The sum over ranks of element i, in their order.
inline float sumOf(uint32_t size, uint64_t i) {
  float sum = valueOf(0, i);
  for (uint32_t rank = 1; rank < size; ++rank)
    sum += valueOf(rank, i);
  return sum;
}

} // namespace mpc::test

#endif // MPC_TEST_RANKS_RANKVALUES_H
