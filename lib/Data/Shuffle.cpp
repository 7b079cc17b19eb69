#include "mpc/Data/Shuffle.h"

#include <numeric>
#include <utility>

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::vector<uint64_t> mpc::data::shuffledOrder(uint64_t samples, uint64_t seed,
                                               uint64_t epoch) {
  std::vector<uint64_t> order(samples);
  std::iota(order.begin(), order.end(), uint64_t(0));
  uint64_t counter = mix(mix(seed) + epoch);
  for (uint64_t left = samples; left > 1; --left) {
    counter += 0x9e3779b97f4a7c15;
    auto product = static_cast<unsigned __int128>(mix(counter)) * left;
    std::swap(order[left - 1], order[static_cast<uint64_t>(product >> 64)]);
  }
  return order;
}
