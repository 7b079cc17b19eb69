// Random numbers for initialisers. Counter-based: number i of a tensor is a
// function of (seed, name of the tensor, i) and of nothing else, so neither
// the order of tensors nor the number of threads can change it, nor can the
// processor.
//
// Generator: Philox 4x32-10 of Salmon, Moraes, Dror, Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011, section 4.3; constants and known
// answers as in the authors' Random123 library.
#ifndef MPC_RUNTIME_RANDOM_H
#define MPC_RUNTIME_RANDOM_H

#include <cstdint>
#include <span>
#include <string_view>

namespace mpc::runtime {

/// What the blocks of a stream have in common: the key, and the upper half of
/// the counter.
struct StreamKey {
  uint32_t key[2];
  uint64_t name;
};

/// The stream of one tensor. Block b is Philox of {b, hash of the name} under
/// the seed and holds the numbers 2b and 2b + 1, made of 53 bits each.
class RandomStream {
public:
  RandomStream(uint64_t seed, std::string_view name);
  /// Numbers `first`, `first` + 1, ... of [0, 1).
  void uniform(uint64_t first, std::span<double> to) const;
  /// The same of mean 0 and deviation 1: two at a time by Box-Muller.
  void normal(uint64_t first, std::span<double> to) const;

private:
  StreamKey stream;
};

} // namespace mpc::runtime

#endif // MPC_RUNTIME_RANDOM_H
