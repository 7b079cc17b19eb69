// The gradients of keys and values: dK = scale dS^T Q, dV = P^T cotangent. A
// block owns 64 keys of a head, and their values; the queries of all heads that
// share them pass by, with their cotangents. Keys are the rows of all squares.
#include "kernels/Attention/Backward.h"

using namespace mpc;
using namespace mpc::kernels;

namespace {
template <typename T, int Width> struct KeyGradients {
  using Shape = BackwardShape<T, Width>;
  using Memory = BackwardMemory<T, Width>;
  static constexpr int kGroups = Shape::kOwned / 8;

  const AttentionParameters &parameters;
  const AttentionProblem &problem = parameters.problem;
  const BlockOfHead block; ///< of a head of keys
  const int group;         ///< heads of queries that share it
  const Memory memory;
  const int first; ///< key of the block
  const int lane = threadIdx.x % 32, warpRow = threadIdx.x / 32 * 16;
  const Range seen; ///< queries that see some of the keys
  const int tiles;  ///< of those
  typename Shape::Total keyTotal, valueTotal;

  __device__ explicit KeyGradients(const AttentionParameters &parameters)
      : parameters(parameters),
        block(int(problem.keyHeads), problem.batch,
              int((problem.keys + Shape::kOwned - 1) / Shape::kOwned),
              /*longestLast=*/false),
        group(int(problem.heads / problem.keyHeads)),
        first(block.part * Shape::kOwned),
        seen(findQueries(parameters.positions, {first, first + Shape::kOwned})),
        tiles(seen.first < seen.last
                  ? (seen.last - seen.first + Shape::kStreamed - 1) /
                        Shape::kStreamed
                  : 0) {
    clear(keyTotal);
    clear(valueTotal);
  }

  // Tile i: of the heads of the group, one after the other.
  __device__ int headOf(int i) const { return block.head * group + i / tiles; }
  __device__ int queryOf(int i) const {
    return seen.first + i % tiles * Shape::kStreamed;
  }

  __device__ void begin(int stage, int i) const {
    int head = headOf(i), query = queryOf(i);
    Head<const T> queries(problem.query, block.batch, head, problem.queries,
                          problem.width);
    Head<const T> cotangents(problem.cotangent, block.batch, head,
                             problem.queries, problem.valueWidth);
    fill<Shape::kStreamed>(memory.streamed(stage, 0), queries, query);
    fill<Shape::kStreamed>(memory.streamed(stage, 1), cotangents, query);
    commitCopies();
    if (threadIdx.x >= Shape::kStreamed)
      return;
    int64_t row = firstRow(problem, block.batch, head);
    int own = query + int(threadIdx.x);
    memory.statistics(stage, 0)[threadIdx.x] = readLogSum(parameters, row, own);
    memory.statistics(stage, 1)[threadIdx.x] = readDelta(parameters, row, own);
  }

  __device__ void meet(int stage, int i) {
    typename Shape::Squares s, d;
    clear(s);
    clear(d);
    multiplyRows(s, memory.owned(0), warpRow, memory.streamed(stage, 0));
    multiplyRows(d, memory.owned(1), warpRow, memory.streamed(stage, 1));
    bool draws = problem.dropout.leftOut;
    float factor = parameters.keptFactor;
    int query = queryOf(i), key = first + warpRow;
    Scores scores(parameters, block.batch, headOf(i));
    Seen see = scores.see({query, query + Shape::kStreamed}, {key, key + 16});
    differentiate(see, scores, s, d, [&](int n, int e) {
      int column = 8 * n + 2 * (lane % 4) + e % 2;
      int row = warpRow + lane / 4 + 8 * (e / 2);
      Place at = {query + column, first + row,
                  memory.statistics(stage, 0)[column],
                  memory.statistics(stage, 1)[column], 1};
      if (draws) {
        uint32_t bits = memory.kept()[column * kGroups + row / 8];
        at.factor = bits >> row % 8 & 1 ? factor : 0;
      }
      return at;
    });
    multiplyColumns(valueTotal, s, memory.streamed(stage, 1));
    multiplyColumns(keyTotal, d, memory.streamed(stage, 0));
  }

  __device__ void store() const {
    if (problem.keyGradient.data) {
      Head<T> gradient(problem.keyGradient, block.batch, block.head,
                       problem.keys, problem.width);
      storeRows(gradient, first + warpRow, parameters.gradientScale, keyTotal);
    }
    if (problem.valueGradient.data) {
      Head<T> gradient(problem.valueGradient, block.batch, block.head,
                       problem.keys, problem.valueWidth);
      storeRows(gradient, first + warpRow, parameters.keptFactor, valueTotal);
    }
  }

  __device__ void run() {
    Head<const T> key(problem.key, block.batch, block.head, problem.keys,
                      problem.width);
    Head<const T> value(problem.value, block.batch, block.head, problem.keys,
                        problem.valueWidth);
    int count = tiles * group;
    if (count) {
      fill<Shape::kOwned>(memory.owned(0), key, first);
      fill<Shape::kOwned>(memory.owned(1), value, first);
      begin(0, 0);
    }
    for (int i = 0, stage = 0; i < count; ++i, stage ^= 1) {
      bool more = i + 1 < count;
      if (more)
        begin(stage ^ 1, i + 1);
      if (problem.dropout.leftOut)
        drawTile<Shape::kStreamed, kGroups, kAttentionThreads>(
            problem, firstRow(problem, block.batch, headOf(i)) + queryOf(i),
            first, memory.kept());
      if (more)
        waitForCopies<1>();
      else
        waitForCopies<0>();
      __syncthreads();
      meet(stage, i);
      __syncthreads(); // before the tile is overwritten
    }
    store();
  }
};

template <typename T, int Width>
__global__ void __launch_bounds__(kAttentionThreads, 2)
    differentiateKeys(const __grid_constant__ AttentionParameters parameters) {
  KeyGradients<T, Width>(parameters).run();
}
} // namespace

AttentionKernel kernels::findKeyGradients(DType type, int64_t width) {
  return withAttentionShape(type, width, [&]<typename T, int Width>() {
    return AttentionKernel{
        reinterpret_cast<const void *>(&differentiateKeys<T, Width>),
        BackwardShape<T, Width>::kOwned, BackwardMemory<T, Width>::kBytes};
  });
}
