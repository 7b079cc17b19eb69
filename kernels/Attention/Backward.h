// What the kernels of gradients share: a block owns 64 rows of two tensors of
// one head (queries and cotangents, or keys and values), 16 to a warp, and
// tiles of the other two pass by, the next one being copied while this one is
// multiplied. Weights are computed again from the log-sum-exp:
//
//   P = exp(score - logSumExp),  dP = cotangent value^T
//   dS = P (dP - delta),         delta = sum over the width of cotangent result
//
// Private to this room.
#ifndef MPC_KERNELS_ATTENTION_BACKWARD_H
#define MPC_KERNELS_ATTENTION_BACKWARD_H

#include "kernels/Attention/Kernels.h"
#include "kernels/Attention/Products.h"
#include "kernels/Attention/Scores.h"
#include "kernels/Attention/Shapes.h"

namespace mpc::kernels {

template <typename T, int Width> struct BackwardShape {
  static constexpr int kOwned = 16 * kWarps;
  static constexpr int kStreamed = sizeof(T) == 2 ? 4096 / Width : 16;
  static constexpr int kSquares = kStreamed / 8; ///< of 16 x 8 to a warp
  using Rows = Tile<T, Width>;
  static constexpr int kOwnedBytes = kOwned * Rows::kRowBytes;
  static constexpr int kStreamedBytes = kStreamed * Rows::kRowBytes;
  static constexpr int kKeptBytes = kOwned * kStreamed / 8;
  using Squares = float[1][kSquares][4];
  using Total = float[1][Width / 8][4];
};

/// The shared memory of a block.
template <typename T, int Width> struct BackwardMemory {
  using Shape = BackwardShape<T, Width>;
  using Rows = typename Shape::Rows;
  static constexpr int kStatistics = 4 * Shape::kStreamed; ///< floats
  static constexpr int kBytes =
      2 * Shape::kOwnedBytes + 4 * Shape::kStreamedBytes +
      int(sizeof(float)) * kStatistics + Shape::kKeptBytes;

  uint8_t *memory = getSharedMemory();

  __device__ Rows owned(int which) const {
    return {memory + which * Shape::kOwnedBytes};
  }
  __device__ Rows streamed(int stage, int which) const {
    return {memory + 2 * Shape::kOwnedBytes +
            (2 * stage + which) * Shape::kStreamedBytes};
  }
  /// Numbers that belong to the rows of a tile.
  __device__ float *statistics(int stage, int which) const {
    auto *all = reinterpret_cast<float *>(streamed(2, 0).memory);
    return all + (2 * stage + which) * Shape::kStreamed;
  }
  /// See drawTile.
  __device__ uint8_t *kept() const {
    return reinterpret_cast<uint8_t *>(statistics(2, 0));
  }
};

/// The log-sum-exp of a query in the units of its scores; +inf where it sees no
/// key or is not there, since weights are 0 then.
__device__ inline float readLogSum(const AttentionParameters &parameters,
                                   int64_t row, int query) {
  if (query >= parameters.positions.queries)
    return kInfinity;
  float logSum = parameters.problem.logSumExp[row + query];
  return logSum == -kInfinity ? kInfinity : logSum * parameters.unit;
}

/// What belongs to an element of scores.
struct Place {
  int query, key;
  float logSum, delta;
  float factor; ///< what dropout multiplies its weight by
};

/// Products become weights, those that dropout leaves out 0 (what is kept is
/// multiplied in sums), and cotangents of weights slopes of scores, times
/// slopeScale. `placeOf(n, e)`: element e of square n.
template <Seen seen, int Squares, typename PlaceOf>
__device__ inline void
differentiate(const Scores &scores, float (&s)[1][Squares][4],
              float (&d)[1][Squares][4], const PlaceOf &placeOf) {
#pragma unroll
  for (int n = 0; n < Squares; ++n)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      Place at = placeOf(n, e);
      float bounded = scores.template bound<seen>(s[0][n][e]);
      float score = scores.template mask<seen>(bounded, at.query, at.key);
      float weight = scores.template exponentiate<seen>(score - at.logSum);
      float slope = weight * (d[0][n][e] * at.factor - at.delta) *
                    scores.template slopeOfBound<seen>(bounded) *
                    scores.parameters.slopeScale;
      s[0][n][e] = at.factor == 0 ? 0 : weight;
      d[0][n][e] = weight == 0 ? 0 : slope;
    }
}

template <int Squares, typename PlaceOf>
__device__ inline void
differentiate(Seen seen, const Scores &scores, float (&s)[1][Squares][4],
              float (&d)[1][Squares][4], const PlaceOf &placeOf) {
  if (seen == Seen::All)
    differentiate<Seen::All>(scores, s, d, placeOf);
  else if (seen == Seen::ByPosition)
    differentiate<Seen::ByPosition>(scores, s, d, placeOf);
  else
    differentiate<Seen::Any>(scores, s, d, placeOf);
}

/// 16 rows of a warp from number `row` on, times `factor`.
template <typename T, int Squares>
__device__ inline void storeRows(const Head<T> &head, int row, float factor,
                                 const float (&total)[1][Squares][4]) {
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    int own = row + lane / 4 + 8 * h;
    if (own >= head.rows)
      continue;
#pragma unroll
    for (int n = 0; n < Squares; ++n)
      storePair(head, own, 8 * n + 2 * (lane % 4), total[0][n][2 * h] * factor,
                total[0][n][2 * h + 1] * factor);
  }
}

/// See Deltas.cu.
__device__ inline float readDelta(const AttentionParameters &parameters,
                                  int64_t row, int query) {
  return query < parameters.positions.queries ? parameters.deltas[row + query]
                                              : 0;
}

} // namespace mpc::kernels

#endif // MPC_KERNELS_ATTENTION_BACKWARD_H
