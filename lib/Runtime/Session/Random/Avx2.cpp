// Random numbers for AVX2.
#include "RandomKernels.h"

#include <cstring>
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))),                  \
                             apply_to = function)
#else
#pragma GCC target("avx2")
#endif

using namespace mpc::runtime;

namespace {
typedef uint64_t Words __attribute__((vector_size(32)));
typedef double Reals __attribute__((vector_size(32)));

/// Of the lower half of each lane.
inline Words multiply(Words x, uint32_t factor) {
  return (Words)_mm256_mul_epu32(
      (__m256i)x, _mm256_set1_epi32(static_cast<int32_t>(factor)));
}
inline Reals squareRoot(Reals x) { return (Reals)_mm256_sqrt_pd((__m256d)x); }
} // namespace

#include "Numbers.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

const RandomKernels mpc::runtime::kAvx2Random = {makeUniform, makeNormal};
