// The kernels of attention by type and width. Private to this room.
#ifndef MPC_KERNELS_ATTENTION_KERNELS_H
#define MPC_KERNELS_ATTENTION_KERNELS_H

#include "kernels/Attention/Attention.h"

namespace mpc::kernels {

/// function: null if there is none.
struct AttentionKernel {
  const void *function = nullptr;
  int rows = 1; ///< of a block: queries, or keys
  uint32_t sharedBytes = 0;
};

AttentionKernel findForward(DType type, int64_t width);
AttentionKernel findDeltas(DType type);
AttentionKernel findQueryGradient(DType type, int64_t width);
AttentionKernel findKeyGradients(DType type, int64_t width);

} // namespace mpc::kernels

#endif // MPC_KERNELS_ATTENTION_KERNELS_H
