// Stochastic gradient descent (PyTorch's, dampening 0) over a list of tensors
// in one pass: gradient unscaled and clipped, momentum buffers and master
// weights updated, 16-bit copies written.
//
//   g = gradient * (1 / scale) * coefficient + wd * p
//   b = momentum * b + g                        with buffers
//   g = nesterov ? g + momentum * b : b         with buffers
//   p = p - lr * g
//
// In f32, without contraction, as the CPU target does; with found_inf every
// result is its old value, as in AdamW.cu.
//
// Traffic: 12 bytes per parameter with 16-bit gradients and copies, 20 with
// momentum; 2 packs of each list in flight per thread.
#include "kernels/Elements.h"
#include "kernels/Gradient.h"
#include "kernels/Kernels.h"
#include "kernels/Types.h"

using namespace mpc;
using namespace mpc::kernels;
using namespace mpc::kernels::sgd;

//===-- Reference ---------------------------------------------------------===//

template <typename G, typename C>
static void referenceTensor(const MultiTensor &op, const Arguments &args,
                            size_t tensor, uint64_t count) {
  bool hasBuffer = op.momentum != 0;
  float momentum = float(op.momentum), lr = *args.learningRate;
  float inverse = args.scale ? float(1 / double(*args.scale)) : 1;
  float coefficient = args.coefficient ? *args.coefficient : 1;
  bool skip = args.foundInf && *args.foundInf;

  for (uint64_t i = 0; i < count; ++i) {
    float g = widen(args.tensor<G>(sgd::G, tensor)[i]) * inverse * coefficient;
    float p = args.tensor<float>(P, tensor)[i];
    float b = hasBuffer ? args.tensor<float>(Buffer, tensor)[i] : 0;
    if (!skip) {
      if (op.weightDecay != 0)
        g = g + float(op.weightDecay) * p;
      if (hasBuffer) {
        b = b * momentum + g;
        g = op.nesterov ? g + momentum * b : b;
      }
      p = p + (0 - lr) * g;
    }
    args.tensor<float>(NextP, tensor)[i] = p;
    if (hasBuffer)
      args.tensor<float>(NextBuffer, tensor)[i] = b;
    if constexpr (kIsCopied<C>)
      args.tensor<C>(Copy, tensor)[i] = narrow<C>(p);
  }
}

void kernels::referenceSgd(const MultiTensor &op, Counts counts,
                           const Arguments &args) {
  withTypes(op.gradientType, op.copyType, [&]<typename G, typename C>() {
    for (size_t t = 0; t < counts.size(); ++t)
      referenceTensor<G, C>(op, args, t, counts[t]);
    return true;
  });
}

//===-- Kernel ------------------------------------------------------------===//

namespace {
constexpr int kWidth = 4, kUnroll = 2, kBlocks = 4;

template <typename G, typename C, bool HasBuffer> struct Update {
  static constexpr int kWidth = ::kWidth, kUnroll = ::kUnroll;

  template <int Width> struct Item {
    Pack<float, Width> p, b;
    Pack<G, Width> g;
  };

  const Parameters &parameters;
  const GradientFactors factors;
  const float negativeRate;
  const bool skip;

  __device__ explicit Update(const Parameters &p)
      : parameters(p), factors(p), negativeRate(0.0f - *p.learningRate),
        skip(isSkipped(p)) {}

  template <int Width>
  __device__ void load(Item<Width> &item, const Chunk &chunk, uint32_t at) {
    loadPack<Width>(item.p, chunk, P, at);
    if constexpr (HasBuffer)
      loadPack<Width>(item.b, chunk, Buffer, at);
    loadPack<Width>(item.g, chunk, List::G, at);
  }

  __device__ void updateElement(float g, float &p, float &b) const {
    if (parameters.decay != 0.0f)
      g = g + parameters.decay * p;
    if constexpr (HasBuffer) {
      b = b * parameters.momentum + g;
      g = parameters.nesterov ? g + parameters.momentum * b : b;
    }
    p = p + negativeRate * g;
  }

  template <int Width>
  __device__ void finish(Item<Width> &item, const Chunk &chunk, uint32_t at) {
    if (!skip)
#pragma unroll
      for (int i = 0; i < Width; ++i)
        updateElement(factors(item.g.at[i]), item.p.at[i], item.b.at[i]);
    store<Width>(item.p, chunk, P, NextP, at);
    if constexpr (HasBuffer)
      store<Width>(item.b, chunk, Buffer, NextBuffer, at);
    storeCopy<C, Width>(item.p, chunk, Copy, at);
  }

  /// What is skipped and in place is not written.
  template <int Width>
  __device__ void store(const Pack<float, Width> &pack, const Chunk &chunk,
                        int from, int to, uint32_t at) const {
    if (!skip || chunk.at[to] != chunk.at[from])
      storePack<Width>(pack, chunk, to, at);
  }
};

template <typename G, typename C, bool HasBuffer>
__global__ void __launch_bounds__(kThreads, kBlocks)
    updateSgd(const __grid_constant__ Parameters parameters) {
  Update<G, C, HasBuffer> update(parameters);
  for (uint32_t i = blockIdx.x; i < parameters.numChunks; i += gridDim.x) {
    Chunk chunk = parameters.chunks[i];
    forEachElement(chunk, update);
  }
}
} // namespace

Kernel kernels::findSgd(DType gradient, std::optional<DType> copy,
                        bool hasBuffer) {
  return withTypes(gradient, copy, [&]<typename G, typename C>() {
    const void *function =
        hasBuffer ? reinterpret_cast<const void *>(&updateSgd<G, C, true>)
                  : reinterpret_cast<const void *>(&updateSgd<G, C, false>);
    return Kernel{function, kBlocks, kWidth, kThreads * kWidth * kUnroll,
                  NumLists};
  });
}
