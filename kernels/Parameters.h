// What a multi-tensor kernel is given: one structure by value, and a table in
// device memory that it points to. Host and device see the same bytes.
#ifndef MPC_KERNELS_PARAMETERS_H
#define MPC_KERNELS_PARAMETERS_H

#include <cstdint>

namespace mpc::kernels {

/// Lists of tensors that a kernel may have; AdamW has all.
constexpr int kMaxLists = 8;
/// Threads of a block, of all kernels.
constexpr int kThreads = 256;

/// A stretch of one tensor. at[k]: where it begins in list k. The first `head`
/// elements stand before a boundary that all lists have in common; from there
/// on elements are accessed in packs, up to a tail. Lists without such a
/// boundary have a head of `count` elements.
struct alignas(16) Chunk {
  void *at[kMaxLists];
  uint32_t count, head;
};

/// What one block of UnscaleL2Norm found.
struct Partial {
  double sum;
  uint32_t isBad;
};

/// Fields that a kernel does not know are null or 0.
struct Parameters {
  const Chunk *chunks; ///< in the table
  uint32_t numChunks;

  // Scalars on the device; null if the operation has none.
  const uint8_t *foundInf;
  const float *scale, *coefficient, *learningRate;
  const int32_t *step;

  // Hyperparameters in the type in which they are computed with.
  double beta1, beta2, weightDecay;
  float firstWeight;  ///< AdamW: 1 - beta1, or beta1 if `lerpFromEnd`
  bool lerpFromEnd;   ///< whether 1 - beta1 is 0.5 or more
  float secondDecay;  ///< AdamW: beta2
  float secondWeight; ///< AdamW: 1 - beta2
  float epsilon;
  float momentum, decay; ///< Sgd: weight decay as f32
  bool nesterov;

  // Of UnscaleL2Norm.
  uint8_t *foundInfResult;
  float *normResult;
  Partial *partials;  ///< in the table, one per block
  uint32_t *finished; ///< in the table: blocks that are done, 0 between runs
};

} // namespace mpc::kernels

#endif // MPC_KERNELS_PARAMETERS_H
