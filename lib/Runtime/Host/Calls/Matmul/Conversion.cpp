#include "Conversion.h"

#include <immintrin.h>

using namespace mpc;

__attribute__((target("avx,f16c"))) static int64_t
widenHalves(const uint16_t *source, float *result, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(result + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(
                         reinterpret_cast<const __m128i *>(source + i))));
  return i;
}

__attribute__((target("avx,f16c"))) static int64_t
narrowHalves(const float *source, uint16_t *result, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(result + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(source + i),
                                     _MM_FROUND_TO_NEAREST_INT));
  return i;
}

void runtime::widen(DType type, const uint16_t *source, float *result,
                    int64_t count) {
  if (type == DType::BF16) {
    for (int64_t i = 0; i < count; ++i)
      result[i] = bfloatToFloat(source[i]);
    return;
  }
  int64_t i =
      __builtin_cpu_supports("f16c") ? widenHalves(source, result, count) : 0;
  for (; i < count; ++i)
    result[i] = halfToFloat(source[i]);
}

void runtime::narrow(DType type, const float *source, uint16_t *result,
                     int64_t count) {
  if (type == DType::BF16) {
    for (int64_t i = 0; i < count; ++i)
      result[i] = floatToBFloat(source[i]);
    return;
  }
  int64_t i =
      __builtin_cpu_supports("f16c") ? narrowHalves(source, result, count) : 0;
  for (; i < count; ++i)
    result[i] = floatToHalf(source[i]);
}
