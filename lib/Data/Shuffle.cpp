#include "mpc/Data/Shuffle.h"

#include <numeric>
#include <utility>

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

namespace {

/// The generator of an epoch.
class Random {
public:
  Random(uint64_t seed, uint64_t epoch) : counter(mix(mix(seed) + epoch)) {}

  /// The next number below `bound`.
  uint64_t below(uint64_t bound) {
    counter += 0x9e3779b97f4a7c15;
    auto product = static_cast<unsigned __int128>(mix(counter)) * bound;
    return static_cast<uint64_t>(product >> 64);
  }

private:
  uint64_t counter;
};

} // namespace

std::vector<uint64_t> mpc::data::shuffledOrder(uint64_t samples, uint64_t seed,
                                               uint64_t epoch) {
  std::vector<uint64_t> order(samples);
  std::iota(order.begin(), order.end(), uint64_t(0));
  Random random(seed, epoch);
  for (uint64_t left = samples; left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

std::vector<uint64_t> mpc::data::randomPlaces(uint64_t samples, uint64_t places,
                                              uint64_t seed, uint64_t epoch) {
  std::vector<uint64_t> order(samples);
  Random random(seed, epoch);
  for (uint64_t &place : order)
    place = random.below(places);
  return order;
}
