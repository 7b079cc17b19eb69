// AdamW (Loshchilov and Hutter, 2019) in PyTorch's order of operations, over a
// list of tensors in one pass: gradient unscaled and clipped, moments and
// master weights updated, 16-bit copies written.
//
//   g = gradient * (1 / scale) * coefficient
//   p = p * (1 - lr * wd)
//   m = lerp(m, g, 1 - beta1);  v = v * beta2 + (1 - beta2) * g * g
//   p = p - lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
//
// Elements are f32, scalars f64 rounded to f32; no product is contracted into a
// sum, so that the generated kernels of the CPU target yield the same bits.
// With found_inf every result is its old value: what lies in place is not
// touched, copies are the old weights.
//
// Traffic: 28 bytes per parameter with 16-bit gradients and copies; 8 loads of
// a thread are on their way at once, 3 blocks of 256 threads per
// multiprocessor.
#include "kernels/Elements.h"
#include "kernels/Gradient.h"
#include "kernels/Kernels.h"
#include "kernels/Types.h"
#include <cmath>

using namespace mpc;
using namespace mpc::kernels;
using namespace mpc::kernels::adamw;

//===-- Reference ---------------------------------------------------------===//

/// start + weight * (end - start) by the formula that torch.lerp takes.
static float lerp(float start, float end, double weight) {
  if (weight < 0.5)
    return start + float(weight) * (end - start);
  return end - (end - start) * float(1 - weight);
}

template <typename G, typename C>
static void referenceTensor(const MultiTensor &op, const Arguments &args,
                            size_t tensor, uint64_t count) {
  double lr = *args.learningRate, t = *args.step;
  float inverse = args.scale ? float(1 / double(*args.scale)) : 1;
  float coefficient = args.coefficient ? *args.coefficient : 1;
  float decay = float(1 - lr * op.weightDecay);
  float stepSize = float((0 - lr) / (1 - std::pow(op.beta1, t)));
  float rootCorrection = float(std::sqrt(1 - std::pow(op.beta2, t)));
  bool skip = args.foundInf && *args.foundInf;

  for (uint64_t i = 0; i < count; ++i) {
    float g =
        widen(args.tensor<G>(adamw::G, tensor)[i]) * inverse * coefficient;
    float p = args.tensor<float>(P, tensor)[i];
    float m = args.tensor<float>(M, tensor)[i];
    float v = args.tensor<float>(V, tensor)[i];
    if (!skip) {
      m = lerp(m, g, 1 - op.beta1);
      v = v * float(op.beta2) + float(1 - op.beta2) * g * g;
      float root = std::sqrt(v) / rootCorrection;
      p = p * decay + stepSize * m / (root + float(op.epsilon));
    }
    args.tensor<float>(NextP, tensor)[i] = p;
    args.tensor<float>(NextM, tensor)[i] = m;
    args.tensor<float>(NextV, tensor)[i] = v;
    if constexpr (kIsCopied<C>)
      args.tensor<C>(Copy, tensor)[i] = narrow<C>(p);
  }
}

void kernels::referenceAdamW(const MultiTensor &op, Counts counts,
                             const Arguments &args) {
  withTypes(op.gradientType, op.copyType, [&]<typename G, typename C>() {
    for (size_t t = 0; t < counts.size(); ++t)
      referenceTensor<G, C>(op, args, t, counts[t]);
    return true;
  });
}

//===-- Kernel ------------------------------------------------------------===//

namespace {
constexpr int kWidth = 4, kUnroll = 2, kBlocks = 3;

/// The scalars that need f64, computed once per block.
struct Corrections {
  float decay, stepSize, root;
};

__device__ void compute(Corrections &corrections, const Parameters &p) {
  // In two warps, since each power takes as long as the first loads.
  if (threadIdx.x == 0) {
    double lr = *p.learningRate;
    corrections.decay = float(1.0 - lr * p.weightDecay);
    corrections.stepSize =
        float((0.0 - lr) / (1.0 - pow(p.beta1, double(*p.step))));
  } else if (threadIdx.x == 32) {
    corrections.root = float(sqrt(1.0 - pow(p.beta2, double(*p.step))));
  }
}

template <typename G, typename C> struct Update {
  static constexpr int kWidth = ::kWidth, kUnroll = ::kUnroll;

  template <int Width> struct Item {
    Pack<float, Width> p, m, v;
    Pack<G, Width> g;
  };

  const Parameters &parameters;
  const Corrections corrections;
  const GradientFactors factors;

  __device__ Update(const Parameters &p, const Corrections &corrections)
      : parameters(p), corrections(corrections), factors(p) {}

  template <int Width>
  __device__ void load(Item<Width> &item, const Chunk &chunk, uint32_t at) {
    loadPack<Width>(item.g, chunk, List::G, at);
    loadPack<Width>(item.p, chunk, P, at);
    loadPack<Width>(item.m, chunk, M, at);
    loadPack<Width>(item.v, chunk, V, at);
  }

  __device__ void updateElement(float g, float &p, float &m, float &v) const {
    float difference = g - m;
    m = parameters.lerpFromEnd ? g - difference * parameters.firstWeight
                               : m + parameters.firstWeight * difference;
    v = v * parameters.secondDecay + parameters.secondWeight * g * g;
    float root = sqrtf(v) / corrections.root;
    p = p * corrections.decay +
        corrections.stepSize * m / (root + parameters.epsilon);
  }

  template <int Width>
  __device__ void finish(Item<Width> &item, const Chunk &chunk, uint32_t at) {
#pragma unroll
    for (int i = 0; i < Width; ++i)
      updateElement(factors(item.g.at[i]), item.p.at[i], item.m.at[i],
                    item.v.at[i]);
    storePack<Width>(item.p, chunk, NextP, at);
    storePack<Width>(item.m, chunk, NextM, at);
    storePack<Width>(item.v, chunk, NextV, at);
    storeCopy<C, Width>(item.p, chunk, Copy, at);
  }
};

/// A skipped step: old values where results have their own memory.
template <typename C> struct Keep {
  static constexpr int kWidth = ::kWidth, kUnroll = 1;

  template <int Width> struct Item {
    Pack<float, Width> p;
  };

  template <int Width>
  __device__ void load(Item<Width> &item, const Chunk &chunk, uint32_t at) {
    loadPack<Width>(item.p, chunk, P, at);
  }

  template <int Width>
  __device__ void finish(Item<Width> &item, const Chunk &chunk, uint32_t at) {
    storeCopy<C, Width>(item.p, chunk, Copy, at);
    if (chunk.at[NextP] != chunk.at[P])
      storePack<Width>(item.p, chunk, NextP, at);
    keep<Width>(chunk, M, NextM, at);
    keep<Width>(chunk, V, NextV, at);
  }

  template <int Width>
  __device__ void keep(const Chunk &chunk, int from, int to, uint32_t at) {
    if (chunk.at[to] == chunk.at[from])
      return;
    Pack<float, Width> pack;
    loadPack<Width>(pack, chunk, from, at);
    storePack<Width>(pack, chunk, to, at);
  }
};

template <typename G, typename C>
__global__ void __launch_bounds__(kThreads, kBlocks)
    updateAdamW(const __grid_constant__ Parameters parameters) {
  __shared__ Corrections corrections;
  compute(corrections, parameters);
  __syncthreads();
  Update<G, C> update(parameters, corrections);
  Keep<C> keep;
  bool skip = isSkipped(parameters);
  for (uint32_t i = blockIdx.x; i < parameters.numChunks; i += gridDim.x) {
    Chunk chunk = parameters.chunks[i];
    if (skip)
      forEachElement(chunk, keep);
    else
      forEachElement(chunk, update);
  }
}
} // namespace

Kernel kernels::findAdamW(DType gradient, std::optional<DType> copy) {
  return withTypes(gradient, copy, [&]<typename G, typename C>() {
    return Kernel{reinterpret_cast<const void *>(&updateAdamW<G, C>), kBlocks,
                  kWidth, kThreads * kWidth * kUnroll, NumLists};
  });
}
