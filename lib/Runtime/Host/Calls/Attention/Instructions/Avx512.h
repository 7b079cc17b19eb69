// What attention's vectors have instructions for on AVX-512.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_AVX512_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_AVX512_H

#include "../Kernels/Vectors.h"

namespace {
inline Floats roundToWhole(Floats x) {
  return (Floats)_mm512_roundscale_ps((__m512)x, _MM_FROUND_TO_NEAREST_INT |
                                                     _MM_FROUND_NO_EXC);
}
inline Floats scaleByPower(Floats x, Floats n) {
  return (Floats)_mm512_scalef_ps((__m512)x, (__m512)n);
}
inline Floats widenHalfs(const uint16_t *from) {
  return (Floats)_mm512_cvtph_ps(
      _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from)));
}
inline void narrowToHalfs(Floats x, uint16_t *to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(to),
                      _mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT));
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_AVX512_H
