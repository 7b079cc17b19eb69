// Arrays between f32 and the 16-bit formats, by the processor's instructions
// where it has them. The same rounding as mpc/Support/DType.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_CONVERSION_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_CONVERSION_H

#include "mpc/Support/DType.h"

namespace mpc::runtime {

/// `type`: F16 or BF16.
void widen(DType type, const uint16_t *source, float *result, int64_t count);
void narrow(DType type, const float *source, uint16_t *result, int64_t count);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_CONVERSION_H
