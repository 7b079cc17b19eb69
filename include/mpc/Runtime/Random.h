// Random numbers for initialisers. Counter-based: number i of a tensor is a
// function of (seed, name of the tensor, i) and of nothing else, so neither
// the order of tensors nor the number of threads can change it.
//
// Generator: Philox 4x32-10 of Salmon, Moraes, Dror, Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011, section 4.3; constants and known
// answers as in the authors' Random123 library.
#ifndef MPC_RUNTIME_RANDOM_H
#define MPC_RUNTIME_RANDOM_H

#include <array>
#include <cstdint>
#include <string_view>

namespace mpc::runtime {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

/// Ten rounds of Philox 4x32.
PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key);

/// The stream of one tensor. Block b is philox({b, hash of the name}, seed)
/// and holds the numbers 2b and 2b + 1, made of 53 bits each.
class RandomStream {
public:
  RandomStream(uint64_t seed, std::string_view name);
  /// Numbers 2b and 2b + 1, uniform on [0, 1).
  std::array<double, 2> uniformPair(uint64_t block) const;
  /// Numbers 2b and 2b + 1 of mean 0 and deviation 1 (Box-Muller).
  std::array<double, 2> normalPair(uint64_t block) const;

private:
  PhiloxKey key;
  uint64_t nameHash;
};

} // namespace mpc::runtime

#endif // MPC_RUNTIME_RANDOM_H
