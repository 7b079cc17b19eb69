#include "mpc/Data/Shuffle.h"

#include "mpc/Data/Random.h"

#include <numeric>
#include <utility>

using mpc::data::Random;

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
