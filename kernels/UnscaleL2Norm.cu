// Finite check and global norm of scaled gradients over a list of tensors, in
// one launch. Nothing is written but two scalars.
//
//   found_inf = any gradient is inf or NaN
//   norm      = sqrt(sum of (gradient * (1 / scale))^2)
//
// The check is on the gradient itself, before the scale is taken off, as in
// PyTorch. A norm that is not finite comes out as what the sum becomes: NaN if
// a gradient is NaN, inf otherwise.
//
// Order of sums, fixed by the plan: a thread adds squares in f32, four sums per
// chunk, and chunks in f64; a block folds its threads in halves and leaves a
// partial; the block that finishes last, whichever it is, adds the partials in
// the order of the blocks. So the result does not depend on the schedule, and
// its error is that of some tens of f32 additions.
//
// Traffic: one read of each gradient, 4 accesses of 16 bytes in flight per
// thread.
#include "kernels/Elements.h"
#include "kernels/Gradient.h"
#include "kernels/Kernels.h"
#include "kernels/Types.h"
#include <cmath>

using namespace mpc;
using namespace mpc::kernels;

//===-- Reference ---------------------------------------------------------===//

/// In f64, so that its own error does not count.
template <typename G>
static void referenceTensors(Counts counts, const Arguments &args) {
  float inverse = args.scale ? float(1 / double(*args.scale)) : 1;
  bool foundInf = false;
  double sum = 0;
  for (size_t t = 0; t < counts.size(); ++t)
    for (uint64_t i = 0; i < counts[t]; ++i) {
      float g = widen(args.tensor<G>(norm::G, t)[i]);
      foundInf |= !std::isfinite(g);
      float unscaled = g * inverse;
      sum += double(unscaled) * unscaled;
    }
  *args.foundInfResult = foundInf;
  *args.normResult = float(std::sqrt(sum));
}

void kernels::referenceUnscaleL2Norm(const MultiTensor &op, Counts counts,
                                     const Arguments &args) {
  withGradientType(op.gradientType, [&]<typename G>() {
    referenceTensors<G>(counts, args);
    return true;
  });
}

//===-- Kernel ------------------------------------------------------------===//

namespace {
constexpr int kUnroll = 4, kBlocks = 4, kSums = 4;
constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffff;

/// Adds up the gradients of one thread.
template <typename G> struct Squares {
  static constexpr int kWidth = 16 / sizeof(G), kUnroll = ::kUnroll;

  template <int Width> struct Item {
    Pack<G, Width> g;
  };

  const float inverse;
  float sums[kSums] = {};
  bool isBad = false;

  __device__ explicit Squares(const Parameters &p)
      : inverse(inverseOf(p.scale)) {}

  template <int Width>
  __device__ void load(Item<Width> &item, const Chunk &chunk, uint32_t at) {
    loadPack<Width>(item.g, chunk, norm::G, at);
  }

  template <int Width>
  __device__ void finish(Item<Width> &item, const Chunk &, uint32_t) {
#pragma unroll
    for (int i = 0; i < Width; ++i) {
      float g = widen(item.g.at[i]);
      isBad |= !(fabsf(g) < INFINITY);
      float unscaled = g * inverse;
      sums[i % kSums] = fmaf(unscaled, unscaled, sums[i % kSums]);
    }
  }

  /// The sum since the last call.
  __device__ double take() {
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (float &each : sums)
      each = 0;
    return sum;
  }
};

__device__ Partial operator+(Partial a, Partial b) {
  return {a.sum + b.sum, a.isBad | b.isBad};
}

/// Over all threads of the block, for thread 0. `warps` is shared memory that
/// nothing else uses.
__device__ Partial reduceBlock(Partial mine, Partial *warps) {
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    mine = mine + Partial{__shfl_xor_sync(kAllLanes, mine.sum, offset),
                          __shfl_xor_sync(kAllLanes, mine.isBad, offset)};
  if (threadIdx.x % kWarp == 0)
    warps[threadIdx.x / kWarp] = mine;
  __syncthreads();
  Partial all = warps[0];
  for (int warp = 1; warp < kThreads / kWarp; ++warp)
    all = all + warps[warp];
  return all;
}

/// Leaves the partial of this block; whether it was the last one to do so. The
/// counter is 0 again after that.
__device__ bool publish(Partial partial, const Parameters &p) {
  p.partials[blockIdx.x] = partial;
  __threadfence(); // the partial is seen before the count
  return atomicInc(p.finished, gridDim.x - 1) == gridDim.x - 1;
}

template <typename G>
__global__ void __launch_bounds__(kThreads, kBlocks)
    unscaleL2Norm(const __grid_constant__ Parameters parameters) {
  __shared__ Partial warps[kThreads / kWarp];
  __shared__ uint32_t isLast;

  Squares<G> squares(parameters);
  Partial mine = {0, 0};
  // The next chunk's pointer is on its way while this one is read.
  uint32_t i = blockIdx.x;
  Chunk next = {};
  if (i < parameters.numChunks)
    next = parameters.chunks[i];
  while (i < parameters.numChunks) {
    Chunk chunk = next;
    i += gridDim.x;
    if (i < parameters.numChunks)
      next = parameters.chunks[i];
    forEachElement(chunk, squares);
    mine.sum += squares.take();
  }
  mine.isBad = squares.isBad;

  Partial block = reduceBlock(mine, warps);
  if (threadIdx.x == 0)
    isLast = publish(block, parameters);
  __syncthreads();
  if (!isLast)
    return;

  __threadfence(); // the partials are read after the count
  Partial rest = {0, 0};
  for (uint32_t i = threadIdx.x; i < gridDim.x; i += kThreads)
    rest = rest + Partial{__ldcg(&parameters.partials[i].sum),
                          __ldcg(&parameters.partials[i].isBad)};
  Partial all = reduceBlock(rest, warps);
  if (threadIdx.x == 0) {
    *parameters.foundInfResult = all.isBad != 0;
    *parameters.normResult = float(sqrt(all.sum));
  }
}
} // namespace

Kernel kernels::findUnscaleL2Norm(DType gradient) {
  return withGradientType(gradient, [&]<typename G>() {
    constexpr int width = Squares<G>::kWidth;
    return Kernel{reinterpret_cast<const void *>(&unscaleL2Norm<G>), kBlocks,
                  width, kThreads * width * kUnroll, norm::NumLists};
  });
}
