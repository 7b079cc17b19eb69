// The order of the samples of an epoch.
//
// With random(i) of Random.h, of seed and epoch, the order is Fisher and Yates'
// shuffle from the last position down: position i is swapped with
// floor(random(n-1-i) * (i + 1) / 2^64). Random places are floor(random(i) *
// places / 2^64) for i = 0, 1, ..., each drawn for itself, so that one may come
// twice. Integers only, so the same seed gives the same order everywhere.
#ifndef MPC_DATA_SHUFFLE_H
#define MPC_DATA_SHUFFLE_H

#include <cstdint>
#include <vector>

namespace mpc::data {

/// The numbers 0 .. samples-1 in the order of `epoch`.
std::vector<uint64_t> shuffledOrder(uint64_t samples, uint64_t seed,
                                    uint64_t epoch);

/// `samples` numbers below `places`, uniform and independent, of `epoch`.
std::vector<uint64_t> randomPlaces(uint64_t samples, uint64_t places,
                                   uint64_t seed, uint64_t epoch);

} // namespace mpc::data

#endif // MPC_DATA_SHUFFLE_H
