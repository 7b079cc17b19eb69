// 16-bit formats inside kernels and their references: stored as bits, computed
// with as f32. Private to this room.
#ifndef MPC_KERNELS_FORMATS_H
#define MPC_KERNELS_FORMATS_H

#include "mpc/Support/DType.h"
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace mpc::kernels {

struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
/// Stands for the type of copies where there are none.
struct NoCopy {
  uint16_t bits;
};

__host__ __device__ inline float widen(float value) { return value; }

__host__ __device__ inline float widen(Half value) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(value.bits));
#else
  return halfToFloat(value.bits);
#endif
}

__host__ __device__ inline float widen(BFloat value) {
#ifdef __CUDA_ARCH__
  return __bfloat162float(__ushort_as_bfloat16(value.bits));
#else
  return bfloatToFloat(value.bits);
#endif
}

/// Rounded to nearest even.
template <typename T> __host__ __device__ T narrow(float value);

template <> __host__ __device__ inline float narrow<float>(float value) {
  return value;
}

template <> __host__ __device__ inline Half narrow<Half>(float value) {
#ifdef __CUDA_ARCH__
  return {__half_as_ushort(__float2half_rn(value))};
#else
  return {floatToHalf(value)};
#endif
}

template <> __host__ __device__ inline BFloat narrow<BFloat>(float value) {
#ifdef __CUDA_ARCH__
  return {__bfloat16_as_ushort(__float2bfloat16_rn(value))};
#else
  return {floatToBFloat(value)};
#endif
}

template <typename T> constexpr bool kIsCopied = true;
template <> inline constexpr bool kIsCopied<NoCopy> = false;

} // namespace mpc::kernels

#endif // MPC_KERNELS_FORMATS_H
