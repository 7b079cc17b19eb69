// What is done to a step so that it needs less memory, as three numbers. What
// they count is in Choices.h; the search knows nothing but the numbers.
#ifndef MPC_LIB_PIPELINES_MEMORYLIMIT_CHOICE_H
#define MPC_LIB_PIPELINES_MEMORYLIMIT_CHOICE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace mpc::memory_limit {

struct Choice {
  int64_t chunks = 1;    ///< Of rows of these products:
  size_t products = 0;   ///< The number of their type.
  size_t recomputed = 0; ///< Candidates, in their order.

  bool operator<(const Choice &other) const {
    return std::tie(chunks, products, recomputed) <
           std::tie(other.chunks, other.products, other.recomputed);
  }
};

/// What a program needs with a choice.
struct PlannedBytes {
  int64_t bytes = 0;
  /// The same if nothing were lost between buffers: what lives at the peak.
  int64_t least = 0;
  std::string entry = {}; ///< That has the largest work block,
  int64_t arena = 0;      ///< of so many bytes.
};

} // namespace mpc::memory_limit

#endif // MPC_LIB_PIPELINES_MEMORYLIMIT_CHOICE_H
