// One attention as the kernels see it: sizes, numbers, and where its tensors
// lie. Host and device see the same bytes.
#ifndef MPC_KERNELS_ATTENTION_PROBLEM_H
#define MPC_KERNELS_ATTENTION_PROBLEM_H

#include "mpc/Support/DType.h"

namespace mpc::kernels {

/// A tensor [batch, time, head, width] by strides in elements; its width is
/// dense. Null: there is no such operand.
struct HeadRows {
  void *data = nullptr;
  int64_t batch = 0, time = 0, head = 0;
};

/// A mask [batch, head, query, key] by strides in elements: numbers to add to
/// scores, or (i1) whether a query sees a key. Null: there is none.
struct AttentionMask {
  const void *data = nullptr;
  DType type = DType::I1; ///< I1, F32, F16 or BF16
  int64_t batch = 0, head = 0, query = 0, key = 0;
};

/// Weights that are left out, as Program.fbs draws them.
struct AttentionDropout {
  uint32_t leftOut = 0; ///< of 2^16 weights; 0: nothing is drawn
  uint32_t stream = 0;
  const uint32_t *step = nullptr, *seed = nullptr; ///< on the device
};

/// result = softmax(scale query key^T + mask) value; see
/// graph.scaled_dot_product_attention for what the fields mean.
struct AttentionProblem {
  DType type = DType::F32; ///< of all tensors but mask and sums: F32, F16, BF16
  int64_t batch = 0, queries = 0, keys = 0;
  int64_t heads = 0, keyHeads = 0; ///< the first a multiple of the second
  int64_t width = 0, valueWidth = 0;
  bool causal = false;
  int64_t window = 0; ///< 0: none
  double scale = 1, softcap = 0;

  HeadRows query, key, value;
  AttentionMask mask;
  AttentionDropout dropout;
  /// Forward: written. Backward: read.
  HeadRows result;
  float *logSumExp = nullptr; ///< [batch, head, query], natural
  // Backward. A gradient without data is not computed.
  HeadRows cotangent, queryGradient, keyGradient, valueGradient;
};

} // namespace mpc::kernels

#endif // MPC_KERNELS_ATTENTION_PROBLEM_H
