// Results and log-sum-exps. A block has a stretch of the queries of one head,
// each of its warps 16 or 32 of them; tiles of keys and values pass by, the
// next one being copied while this one is multiplied. Of each query a warp
// keeps the maximum and the sum so far, and the weighted sum of values.
#include "kernels/Attention/Kernels.h"
#include "kernels/Attention/Products.h"
#include "kernels/Attention/Scores.h"
#include "kernels/Attention/Shapes.h"

using namespace mpc;
using namespace mpc::kernels;

namespace {
template <typename T, int Width> struct Forward {
  /// Squares of 16 queries of a warp: two share what is read of keys.
  static constexpr int kSquares = sizeof(T) * Width == 128 ? 2 : 1;
  static constexpr int kQueries = 16 * kSquares * kWarps;
  static constexpr int kKeys = sizeof(T) == 2 ? 64 : 2048 / Width;
  using Rows = Tile<T, Width>;
  static constexpr int kTileBytes = kKeys * Rows::kRowBytes;
  static constexpr int kKeptBytes = kQueries * kKeys / 8;
  static constexpr int kSharedBytes =
      kQueries * Rows::kRowBytes + 4 * kTileBytes + kKeptBytes;

  const AttentionParameters &parameters;
  const AttentionProblem &problem = parameters.problem;
  const BlockOfHead block;
  const Scores scores;
  const int first; ///< query of the block
  const int lane = threadIdx.x % 32, warpRow = threadIdx.x / 32 * 16 * kSquares;
  Rows queries;
  uint8_t *stages, *kept;
  // Of the queries of this lane: g and g + 8 of each square.
  float most[kSquares][2], sum[kSquares][2];
  float total[kSquares][Width / 8][4];

  __device__ explicit Forward(const AttentionParameters &parameters)
      : parameters(parameters),
        block(int(problem.heads), problem.batch,
              int((problem.queries + kQueries - 1) / kQueries),
              /*longestLast=*/true),
        scores(parameters, block.batch, block.head),
        first(block.part * kQueries) {
    uint8_t *memory = getSharedMemory();
    queries = {memory};
    stages = memory + kQueries * Rows::kRowBytes;
    kept = stages + 4 * kTileBytes;
    clear(total);
    for (int m = 0; m < kSquares; ++m)
      for (int h = 0; h < 2; ++h) {
        most[m][h] = -kInfinity;
        sum[m][h] = 0;
      }
  }

  __device__ Rows keys(int stage) const {
    return {stages + 2 * stage * kTileBytes};
  }
  __device__ Rows values(int stage) const {
    return {stages + (2 * stage + 1) * kTileBytes};
  }
  __device__ int queryOf(int m, int e) const {
    return first + warpRow + 16 * m + lane / 4 + 8 * (e / 2);
  }
  __device__ static int columnOf(int lane, int n, int e) {
    return 8 * n + 2 * (lane % 4) + e % 2;
  }

  /// Products become scores; what came before refers to a smaller maximum and
  /// is scaled down.
  template <Seen seen>
  __device__ void score(float (&s)[kSquares][kKeys / 8][4], int key) {
#pragma unroll
    for (int m = 0; m < kSquares; ++m) {
      float largest[2] = {most[m][0], most[m][1]};
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          float x = scores.template bound<seen>(s[m][n][e]);
          x = scores.template mask<seen>(x, queryOf(m, e),
                                         key + columnOf(lane, n, e));
          s[m][n][e] = x;
          largest[e / 2] = fmaxf(largest[e / 2], x);
        }
#pragma unroll
      for (int h = 0; h < 2; ++h)
        raise<seen>(m, h, largest[h]);
    }
  }

  /// The maximum of a query as the four lanes that share it know it.
  template <Seen seen> __device__ void raise(int m, int h, float largest) {
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, 2));
    // All is -inf so far: whatever is subtracted, weights are 0.
    float reference = largest == -kInfinity ? 0 : largest;
    float factor = scores.template exponentiate<seen>(most[m][h] - reference);
    most[m][h] = largest;
    sum[m][h] *= factor;
#pragma unroll
    for (int n = 0; n < Width / 8; ++n) {
      total[m][n][2 * h] *= factor;
      total[m][n][2 * h + 1] *= factor;
    }
  }

  template <Seen seen>
  __device__ void weigh(float (&s)[kSquares][kKeys / 8][4], int key) {
    score<seen>(s, key);
#pragma unroll
    for (int m = 0; m < kSquares; ++m)
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          float reference = most[m][e / 2] == -kInfinity ? 0 : most[m][e / 2];
          float weight =
              scores.template exponentiate<seen>(s[m][n][e] - reference);
          sum[m][e / 2] += weight;
          s[m][n][e] = weight;
        }
  }

  /// Leaves weights out, as drawn for this tile. What is kept counts for more,
  /// but only in the result: f16 may not hold that of one weight.
  __device__ void drop(float (&s)[kSquares][kKeys / 8][4]) const {
#pragma unroll
    for (int m = 0; m < kSquares; ++m)
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          int row = queryOf(m, e) - first;
          uint32_t bits = kept[row * (kKeys / 8) + n];
          bool isKept = bits >> (2 * (lane % 4) + e % 2) & 1;
          if (!isKept)
            s[m][n][e] = 0;
        }
  }

  __device__ void meet(int stage, int key) {
    float s[kSquares][kKeys / 8][4];
    clear(s);
    multiplyRows(s, queries, warpRow, keys(stage));
    Range own = {first + warpRow, first + warpRow + 16 * kSquares};
    Seen seen = scores.see(own, {key, key + kKeys});
    if (seen == Seen::All)
      weigh<Seen::All>(s, key);
    else if (seen == Seen::ByPosition)
      weigh<Seen::ByPosition>(s, key);
    else
      weigh<Seen::Any>(s, key);
    if (problem.dropout.leftOut)
      drop(s);
    multiplyColumns(total, s, values(stage));
  }

  __device__ void store() {
    Head<T> result(problem.result, block.batch, block.head, problem.queries,
                   problem.valueWidth);
    float *logSumExp = problem.logSumExp;
    if (logSumExp)
      logSumExp += firstRow(problem, block.batch, block.head);
#pragma unroll
    for (int m = 0; m < kSquares; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float all = sum[m][h];
        all += __shfl_xor_sync(0xffffffffu, all, 1);
        all += __shfl_xor_sync(0xffffffffu, all, 2);
        int query = queryOf(m, 2 * h);
        if (query >= result.rows)
          continue;
        float inverse = all == 0 ? 0 : parameters.keptFactor / all;
#pragma unroll
        for (int n = 0; n < Width / 8; ++n)
          storePair(result, query, columnOf(lane, n, 0),
                    total[m][n][2 * h] * inverse,
                    total[m][n][2 * h + 1] * inverse);
        if (logSumExp && lane % 4 == 0)
          logSumExp[query] =
              all == 0 ? -kInfinity : most[m][h] / parameters.unit + logf(all);
      }
  }

  __device__ void run() {
    int64_t group = problem.heads / problem.keyHeads;
    Head<const T> query(problem.query, block.batch, block.head, problem.queries,
                        problem.width);
    Head<const T> key(problem.key, block.batch, block.head / group,
                      problem.keys, problem.width);
    Head<const T> value(problem.value, block.batch, block.head / group,
                        problem.keys, problem.valueWidth);
    int end = first + kQueries < query.rows ? first + kQueries : query.rows;
    Range seen = findKeys(parameters.positions, {first, end});
    seen.first -= seen.first % kKeys;

    int64_t row = firstRow(problem, block.batch, block.head);
    auto begin = [&](int stage, int at) {
      fill<kKeys>(keys(stage), key, at);
      fill<kKeys>(values(stage), value, at);
      commitCopies();
    };
    if (seen.first < seen.last) {
      fill<kQueries>(queries, query, first);
      begin(0, seen.first);
    }
    for (int at = seen.first, stage = 0; at < seen.last;
         at += kKeys, stage ^= 1) {
      bool more = at + kKeys < seen.last;
      if (more)
        begin(stage ^ 1, at + kKeys);
      if (problem.dropout.leftOut)
        drawTile<kQueries, kKeys / 8, kAttentionThreads>(problem, row + first,
                                                         at, kept);
      if (more)
        waitForCopies<1>();
      else
        waitForCopies<0>();
      __syncthreads();
      meet(stage, at);
      __syncthreads(); // before the tile is overwritten
    }
    store();
  }
};

template <typename T, int Width>
__global__ void __launch_bounds__(kAttentionThreads, 2)
    attend(const __grid_constant__ AttentionParameters parameters) {
  Forward<T, Width>(parameters).run();
}
} // namespace

AttentionKernel kernels::findForward(DType type, int64_t width) {
  return withAttentionShape(type, width, [&]<typename T, int Width>() {
    using Own = Forward<T, Width>;
    return AttentionKernel{reinterpret_cast<const void *>(&attend<T, Width>),
                           Own::kQueries, Own::kSharedBytes};
  });
}
