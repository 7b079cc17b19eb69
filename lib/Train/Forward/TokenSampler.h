// Chooses the next token by its logits.
#ifndef MPC_LIB_TRAIN_FORWARD_TOKENSAMPLER_H
#define MPC_LIB_TRAIN_FORWARD_TOKENSAMPLER_H

#include "mpc/Data/Random.h"

#include <optional>
#include <span>
#include <vector>

namespace mpc::train {

/// Token i has the probability softmax(logits / temperature)[i] among the
/// `topK` largest, of equals the first ones. At temperature 0 it is the
/// largest. One random number is drawn for each token that is chosen so.
class TokenSampler {
public:
  TokenSampler(double temperature, std::optional<uint64_t> topK, uint64_t seed)
      : temperature(temperature), topK(topK), random(seed, /*epoch=*/0) {}

  /// Fails if a logit is NaN or +inf, or all are -inf.
  uint64_t choose(std::span<const double> logits);

private:
  double temperature;
  std::optional<uint64_t> topK;
  data::Random random;
  std::vector<uint64_t> order; ///< Of the tokens that take part.
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_FORWARD_TOKENSAMPLER_H
