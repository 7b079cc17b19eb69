#include "mpc/Runtime/Random.h"

#include <cmath>
#include <numbers>

using namespace mpc;
using namespace mpc::runtime;

PhiloxCounter runtime::philox(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53) * counter[0];
    uint64_t second = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(first)};
    key[0] += 0x9E3779B9; // the golden ratio
    key[1] += 0xBB67AE85; // the square root of three, less one
  }
  return counter;
}

/// FNV-1a, 64 bits.
static uint64_t hashName(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char byte : name)
    hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

RandomStream::RandomStream(uint64_t seed, std::string_view name)
    : key{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
      nameHash(hashName(name)) {}

std::array<double, 2> RandomStream::uniformPair(uint64_t block) const {
  PhiloxCounter words = philox(
      {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
       static_cast<uint32_t>(nameHash), static_cast<uint32_t>(nameHash >> 32)},
      key);
  auto join = [](uint32_t high, uint32_t low) {
    uint64_t bits = (static_cast<uint64_t>(high) << 32 | low) >> 11;
    return static_cast<double>(bits) * 0x1p-53;
  };
  return {join(words[0], words[1]), join(words[2], words[3])};
}

std::array<double, 2> RandomStream::normalPair(uint64_t block) const {
  auto [first, second] = uniformPair(block);
  double radius = std::sqrt(-2 * std::log(first + 0x1p-53)); // never log(0)
  double angle = 2 * std::numbers::pi * second;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}
