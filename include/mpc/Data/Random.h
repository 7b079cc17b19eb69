// Random numbers on integers, so that a seed gives the same ones everywhere.
//
// random(i) = mix(key + (i + 1) * 0x9e3779b97f4a7c15), the splitmix64 generator
// addressed by its counter, where mix is splitmix64's finaliser and
// key = mix(mix(seed) + epoch).
#ifndef MPC_DATA_RANDOM_H
#define MPC_DATA_RANDOM_H

#include <cstdint>

namespace mpc::data {

class Random {
public:
  Random(uint64_t seed, uint64_t epoch) : counter(mix(mix(seed) + epoch)) {}

  /// Any 64 bits.
  uint64_t next() { return mix(counter += 0x9e3779b97f4a7c15); }
  /// A number below `bound`: floor(next() * bound / 2^64).
  uint64_t below(uint64_t bound) {
    return static_cast<uint64_t>(
        (static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  /// A multiple of 2^-53 in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t counter;
};

} // namespace mpc::data

#endif // MPC_DATA_RANDOM_H
