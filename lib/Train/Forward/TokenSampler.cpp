#include "TokenSampler.h"

#include "../Failure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mpc;
using namespace mpc::train;

static void checkLogits(std::span<const double> logits) {
  bool isAnyPossible = false;
  for (size_t token = 0; token < logits.size(); ++token) {
    if (std::isnan(logits[token]) || logits[token] == INFINITY)
      throw badInput("expected finite logits, but that of token " +
                     std::to_string(token) + " is " +
                     (std::isnan(logits[token]) ? "nan" : "inf") +
                     "; the weights are not usable");
    isAnyPossible |= logits[token] != -INFINITY;
  }
  if (!isAnyPossible)
    throw badInput("expected finite logits, but all are -inf; the weights are "
                   "not usable");
}

uint64_t TokenSampler::choose(std::span<const double> logits) {
  checkLogits(logits);
  auto isBefore = [&](uint64_t a, uint64_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };
  order.resize(logits.size());
  std::iota(order.begin(), order.end(), uint64_t(0));
  if (temperature == 0)
    return *std::min_element(order.begin(), order.end(), isBefore);
  double largest = *std::max_element(logits.begin(), logits.end());
  if (topK && *topK < order.size()) {
    auto end = order.begin() + static_cast<ptrdiff_t>(*topK);
    std::nth_element(order.begin(), end, order.end(), isBefore);
    order.erase(end, order.end());
    std::sort(order.begin(), order.end()); // sums in one order everywhere
  }
  auto weightOf = [&](uint64_t token) {
    return std::exp((logits[token] - largest) / temperature);
  };
  double sum = 0;
  for (uint64_t token : order)
    sum += weightOf(token);
  double left = random.unit() * sum;
  uint64_t last = order.front();
  for (uint64_t token : order) {
    double weight = weightOf(token);
    if (weight == 0)
      continue;
    last = token; // where roundings leave something over
    left -= weight;
    if (left < 0)
      break;
  }
  return last;
}
