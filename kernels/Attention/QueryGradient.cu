// The gradient of queries: dQ = scale dS K. A block owns 64 queries of a head,
// and their cotangents; keys and values pass by.
#include "kernels/Attention/Backward.h"

using namespace mpc;
using namespace mpc::kernels;

namespace {
template <typename T, int Width> struct QueryGradient {
  using Shape = BackwardShape<T, Width>;
  using Memory = BackwardMemory<T, Width>;
  static constexpr int kGroups = Shape::kStreamed / 8;

  const AttentionParameters &parameters;
  const AttentionProblem &problem = parameters.problem;
  const BlockOfHead block;
  const Scores scores;
  const Memory memory;
  const int first; ///< query of the block
  const int lane = threadIdx.x % 32, warpRow = threadIdx.x / 32 * 16;
  float logSum[2], delta[2]; ///< of queries g and g + 8
  typename Shape::Total total;

  __device__ explicit QueryGradient(const AttentionParameters &parameters)
      : parameters(parameters),
        block(int(problem.heads), problem.batch,
              int((problem.queries + Shape::kOwned - 1) / Shape::kOwned),
              /*longestLast=*/true),
        scores(parameters, block.batch, block.head),
        first(block.part * Shape::kOwned) {
    int64_t row = firstRow(problem, block.batch, block.head);
    for (int h = 0; h < 2; ++h) {
      int query = queryOf(2 * h);
      logSum[h] = readLogSum(parameters, row, query);
      delta[h] = readDelta(parameters, row, query);
    }
    clear(total);
  }

  __device__ int queryOf(int e) const {
    return first + warpRow + lane / 4 + 8 * (e / 2);
  }

  __device__ void meet(int stage, int key) {
    typename Shape::Squares s, d;
    clear(s);
    clear(d);
    multiplyRows(s, memory.owned(0), warpRow, memory.streamed(stage, 0));
    multiplyRows(d, memory.owned(1), warpRow, memory.streamed(stage, 1));
    bool draws = problem.dropout.leftOut;
    float factor = parameters.keptFactor;
    Range own = {first + warpRow, first + warpRow + 16};
    Seen seen = scores.see(own, {key, key + Shape::kStreamed});
    differentiate(seen, scores, s, d, [&](int n, int e) {
      int column = 2 * (lane % 4) + e % 2, query = queryOf(e);
      Place at = {query, key + 8 * n + column, logSum[e / 2], delta[e / 2], 1};
      if (draws) {
        uint32_t bits = memory.kept()[(query - first) * kGroups + n];
        at.factor = bits >> column & 1 ? factor : 0;
      }
      return at;
    });
    multiplyColumns(total, d, memory.streamed(stage, 0));
  }

  __device__ void run() {
    int64_t keyHead = block.head / (problem.heads / problem.keyHeads);
    Head<const T> query(problem.query, block.batch, block.head, problem.queries,
                        problem.width);
    Head<const T> cotangent(problem.cotangent, block.batch, block.head,
                            problem.queries, problem.valueWidth);
    Head<const T> key(problem.key, block.batch, keyHead, problem.keys,
                      problem.width);
    Head<const T> value(problem.value, block.batch, keyHead, problem.keys,
                        problem.valueWidth);
    int64_t row = firstRow(problem, block.batch, block.head);
    int end = first + Shape::kOwned;
    Range seen = findKeys(parameters.positions,
                          {first, end < query.rows ? end : query.rows});
    seen.first -= seen.first % Shape::kStreamed;
    auto begin = [&](int stage, int at) {
      fill<Shape::kStreamed>(memory.streamed(stage, 0), key, at);
      fill<Shape::kStreamed>(memory.streamed(stage, 1), value, at);
      commitCopies();
    };
    if (seen.first < seen.last) {
      fill<Shape::kOwned>(memory.owned(0), query, first);
      fill<Shape::kOwned>(memory.owned(1), cotangent, first);
      begin(0, seen.first);
    }
    for (int at = seen.first, stage = 0; at < seen.last;
         at += Shape::kStreamed, stage ^= 1) {
      bool more = at + Shape::kStreamed < seen.last;
      if (more)
        begin(stage ^ 1, at + Shape::kStreamed);
      if (problem.dropout.leftOut)
        drawTile<Shape::kOwned, kGroups, kAttentionThreads>(
            problem, row + first, at, memory.kept());
      if (more)
        waitForCopies<1>();
      else
        waitForCopies<0>();
      __syncthreads();
      meet(stage, at);
      __syncthreads(); // before the tile is overwritten
    }
    Head<T> gradient(problem.queryGradient, block.batch, block.head,
                     problem.queries, problem.width);
    storeRows(gradient, first + warpRow, parameters.gradientScale, total);
  }
};

template <typename T, int Width>
__global__ void __launch_bounds__(kAttentionThreads, 2) differentiateQueries(
    const __grid_constant__ AttentionParameters parameters) {
  QueryGradient<T, Width>(parameters).run();
}
} // namespace

AttentionKernel kernels::findQueryGradient(DType type, int64_t width) {
  return withAttentionShape(type, width, [&]<typename T, int Width>() {
    return AttentionKernel{
        reinterpret_cast<const void *>(&differentiateQueries<T, Width>),
        BackwardShape<T, Width>::kOwned, BackwardMemory<T, Width>::kBytes};
  });
}
