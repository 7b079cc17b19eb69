// Of the cotangent and the result of each query, the dot product: what the
// softmax takes off every cotangent of a weight. A warp has a query.
#include "kernels/Attention/Kernels.h"
#include "kernels/Attention/Parameters.h"
#include "kernels/Attention/Shapes.h"
#include "kernels/Attention/Tiles.h"

using namespace mpc;
using namespace mpc::kernels;

template <typename T>
__global__ void __launch_bounds__(kAttentionThreads)
    multiplyResults(const __grid_constant__ AttentionParameters parameters) {
  const AttentionProblem &problem = parameters.problem;
  int64_t row = int64_t(blockIdx.x) * kWarps + threadIdx.x / 32;
  if (row >= problem.batch * problem.heads * problem.queries)
    return;
  int64_t query = row % problem.queries, head = row / problem.queries;
  int64_t batch = head / problem.heads;
  head %= problem.heads;
  Head<const T> result(problem.result, batch, head, problem.queries,
                       problem.valueWidth);
  Head<const T> cotangent(problem.cotangent, batch, head, problem.queries,
                          problem.valueWidth);
  float sum = 0;
  for (int c = threadIdx.x % 32; c < result.width; c += 32)
    sum +=
        widen(result.row(int(query))[c]) * widen(cotangent.row(int(query))[c]);
#pragma unroll
  for (int offset = 16; offset; offset /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    parameters.deltas[row] = sum;
}

AttentionKernel kernels::findDeltas(DType type) {
  return withAttentionShape(type, 0, [&]<typename T, int>() {
    return AttentionKernel{reinterpret_cast<const void *>(&multiplyResults<T>),
                           kWarps, 0};
  });
}
