// Philox4x32-10 (Salmon et al., 2011), word for word as in the paper.
#ifndef MPC_TEST_REFERENCE_PHILOX_H
#define MPC_TEST_REFERENCE_PHILOX_H

#include <array>
#include <cstdint>

namespace mpc::reference {

inline std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                          std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t left = uint64_t(0xD2511F53) * counter[0];
    uint64_t right = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(right >> 32) ^ counter[1] ^ key[0], uint32_t(right),
               uint32_t(left >> 32) ^ counter[3] ^ key[1], uint32_t(left)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

} // namespace mpc::reference

#endif // MPC_TEST_REFERENCE_PHILOX_H
