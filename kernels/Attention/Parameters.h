// What a kernel of attention is given, by value: the problem, and what follows
// from it, worked out on the host. Private to this room.
#ifndef MPC_KERNELS_ATTENTION_PARAMETERS_H
#define MPC_KERNELS_ATTENTION_PARAMETERS_H

#include "kernels/Attention/Problem.h"
#include "mpc/Program/Calls/Limits.h"

namespace mpc::kernels {

/// Numbers [first, last).
struct Range {
  int first, last;
};

/// Which queries and keys meet, by their positions.
struct Positions {
  int queries = 0, keys = 0;
  /// A query sees keys from `least` to `most` before it.
  int least = 0, most = 0;

  Positions() = default;
  explicit Positions(const AttentionProblem &problem)
      : queries(int(problem.queries)), keys(int(problem.keys)) {
    constexpr int64_t far = program::kMaxDeviceAttentionTimes;
    bool bounded = problem.window && problem.window < far;
    most = int(bounded ? problem.window - 1 : far);
    least = problem.causal ? 0 : -most;
  }
};

struct AttentionParameters {
  AttentionProblem problem;
  Positions positions;
  /// Scores are counted in powers of 2, so in units of 1 / log2(e), except
  /// beside a mask, which may hold the least number of all: that has no
  /// multiple. They mean e^(score / unit) = 2^(score * toPowers).
  float unit = 1, toPowers = 1;
  float scale = 1, softcap = 0; ///< in those units
  bool plain = true;            ///< neither mask nor softcap
  float keptFactor = 1;         ///< of weights that dropout keeps
  /// Slopes of scores are multiplied by the one, rounded to T, and their sums
  /// by the other: scale is in one of them.
  float slopeScale = 1, gradientScale = 1;
  float *deltas = nullptr; ///< [batch, head, query]; backward

  AttentionParameters() = default;
  explicit AttentionParameters(const AttentionProblem &problem);
};

} // namespace mpc::kernels

#endif // MPC_KERNELS_ATTENTION_PARAMETERS_H
