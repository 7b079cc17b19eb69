// What vectors have instructions for on AVX2 with F16C.
// Internal to the source of an instruction set: see Vectors.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_AVX2_H
#define MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_AVX2_H

#include "Vectors.h"

namespace {
inline Floats roundToWhole(Floats x) {
  return (Floats)_mm256_round_ps((__m256)x,
                                 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/// By the exponent's bits: n from -126 on, and 0 below.
inline Floats scaleByPower(Floats x, Floats n) {
  Ints exponent = (Ints)_mm256_cvtps_epi32((__m256)n) + 127;
  return choose(n < -126.0f, Floats{}, x * fromBits(exponent << 23));
}
inline Floats widenHalfs(const uint16_t *from) {
  return (Floats)_mm256_cvtph_ps(
      _mm_loadu_si128(reinterpret_cast<const __m128i *>(from)));
}
inline void narrowToHalfs(Floats x, uint16_t *to) {
  _mm_storeu_si128(reinterpret_cast<__m128i *>(to),
                   _mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT));
}
inline Wide multiplyWide(Ints x, uint32_t factor) {
  __m256i y = _mm256_set1_epi32(static_cast<int32_t>(factor));
  __m256i even = _mm256_mul_epu32((__m256i)x, y);
  __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64((__m256i)x, 32), y);
  __m256i high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
  return {(Ints)_mm256_mullo_epi32((__m256i)x, y), (Ints)high};
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_AVX2_H
