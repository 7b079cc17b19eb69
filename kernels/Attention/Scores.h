// Which keys a query sees, and scores from products. Private to this room.
#ifndef MPC_KERNELS_ATTENTION_SCORES_H
#define MPC_KERNELS_ATTENTION_SCORES_H

#include "kernels/Attention/Draws.h"
#include "kernels/Attention/Parameters.h"
#include "kernels/Formats.h"
#include <cmath>

namespace mpc::kernels {

constexpr float kInfinity = __builtin_huge_valf();

__device__ inline bool sees(const Positions &at, int query, int key) {
  int distance = query - key;
  return key < at.keys && distance >= at.least && distance <= at.most;
}
/// Whether each of the queries sees each of the keys.
__device__ inline bool seeAll(const Positions &at, Range query, Range key) {
  return key.last <= at.keys && query.first - (key.last - 1) >= at.least &&
         query.last - 1 - key.first <= at.most;
}
/// Keys that one of the queries sees; maybe none.
__device__ inline Range findKeys(const Positions &at, Range query) {
  int first = query.first - at.most, last = query.last - at.least;
  return {first > 0 ? first : 0, last < at.keys ? last : at.keys};
}
/// Queries that see one of the keys; maybe none.
__device__ inline Range findQueries(const Positions &at, Range key) {
  int first = key.first + at.least, last = key.last + at.most;
  return {first > 0 ? first : 0, last < at.queries ? last : at.queries};
}

/// What says which keys the queries of a tile see, and how scores come about.
enum class Seen {
  All,        ///< all of them, and there is neither mask nor softcap
  ByPosition, ///< the same without the first
  Any
};

/// Scores of one head: scaled, bounded, masked.
struct Scores {
  const AttentionParameters &parameters;
  int64_t maskOffset;

  __device__ Scores(const AttentionParameters &parameters, int64_t batch,
                    int64_t head)
      : parameters(parameters),
        maskOffset(batch * parameters.problem.mask.batch +
                   head * parameters.problem.mask.head) {}

  __device__ Seen see(Range query, Range key) const {
    if (!parameters.plain)
      return Seen::Any;
    return seeAll(parameters.positions, query, key) ? Seen::All
                                                    : Seen::ByPosition;
  }
  /// A product as a score, but for the mask.
  template <Seen seen> __device__ float bound(float product) const {
    float scaled = product * parameters.scale, cap = parameters.softcap;
    return seen == Seen::Any && cap != 0 ? cap * tanhf(scaled / cap) : scaled;
  }
  /// d bounded / d scaled.
  template <Seen seen> __device__ float slopeOfBound(float bounded) const {
    if (seen != Seen::Any || parameters.softcap == 0)
      return 1;
    float ratio = bounded / parameters.softcap;
    return 1 - ratio * ratio;
  }
  template <Seen seen>
  __device__ float mask(float bounded, int query, int key) const {
    if (seen == Seen::All)
      return bounded;
    const Positions &positions = parameters.positions;
    bool visible = sees(positions, query, key);
    if (seen == Seen::Any && parameters.problem.mask.data && visible &&
        query < positions.queries)
      bounded = readMask(bounded, query, key);
    return visible ? bounded : -kInfinity;
  }
  template <Seen seen> __device__ float exponentiate(float difference) const {
    return exp2f(seen == Seen::Any ? difference * parameters.toPowers
                                   : difference);
  }

private:
  __device__ float readMask(float bounded, int query, int key) const {
    const AttentionMask &mask = parameters.problem.mask;
    int64_t at = maskOffset + query * mask.query + key * mask.key;
    switch (mask.type) {
    case DType::F32:
      return bounded + static_cast<const float *>(mask.data)[at];
    case DType::F16:
      return bounded + widen(static_cast<const Half *>(mask.data)[at]);
    case DType::BF16:
      return bounded + widen(static_cast<const BFloat *>(mask.data)[at]);
    default: // The score of a key that flags hide may be NaN.
      return static_cast<const uint8_t *>(mask.data)[at] ? bounded : -kInfinity;
    }
  }
};

/// A block of work: a stretch of rows of one head, the longest stretches first.
struct BlockOfHead {
  int batch, head, part;

  /// `longestLast`: a causal query sees more keys the later it is.
  __device__ BlockOfHead(int heads, int64_t batches, int parts,
                         bool longestLast) {
    int all = int(heads * batches), at = int(blockIdx.x);
    part = longestLast ? parts - 1 - at / all : at / all;
    batch = at % all / heads;
    head = at % all % heads;
  }
};

/// The number of a head's first query, of those of all heads.
__device__ inline int64_t firstRow(const AttentionProblem &problem, int batch,
                                   int head) {
  return (int64_t(batch) * problem.heads + head) * problem.queries;
}

/// Draws what dropout keeps of a tile, whose first query has number `row` of
/// those of all heads: bit k of kept[query * Groups + group]. All threads of
/// the block take part.
template <int Queries, int Groups, int Threads>
__device__ inline void drawTile(const AttentionProblem &problem, int64_t row,
                                int key, uint8_t *kept) {
  for (int i = threadIdx.x; i < Queries * Groups; i += Threads)
    kept[i] = drawKept(problem, uint32_t(row) + uint32_t(i / Groups),
                       uint32_t(key / 8 + i % Groups));
}

} // namespace mpc::kernels

#endif // MPC_KERNELS_ATTENTION_SCORES_H
