// What vectors have instructions for on AVX-512.
// Internal to the source of an instruction set: see Vectors.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_AVX512_H
#define MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_AVX512_H

#include "Vectors.h"

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
inline Wide multiplyWide(Ints x, uint32_t factor) {
  __m512i y = _mm512_set1_epi32(static_cast<int32_t>(factor));
  __m512i even = _mm512_mul_epu32((__m512i)x, y);
  __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64((__m512i)x, 32), y);
  __m512i high = _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_CDAB);
  __m512i low = _mm512_mask_shuffle_epi32(even, 0xAAAA, odd, _MM_PERM_CDAB);
  return {(Ints)low, (Ints)high};
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_AVX512_H
