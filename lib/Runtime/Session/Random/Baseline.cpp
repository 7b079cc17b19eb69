// Random numbers for any x86-64: a vector is two of SSE2.
#include "RandomKernels.h"

#include <cstring>
#include <immintrin.h>

#if !defined(__clang__) // how vectors are passed matters between objects only
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

using namespace mpc::runtime;

namespace {
typedef uint64_t Words __attribute__((vector_size(32)));
typedef double Reals __attribute__((vector_size(32)));

/// Of the lower half of each lane.
inline Words multiply(Words x, uint32_t factor) {
  __m128i halves[2];
  std::memcpy(halves, &x, sizeof x);
  for (__m128i &half : halves)
    half = _mm_mul_epu32(half, _mm_set1_epi32(static_cast<int32_t>(factor)));
  std::memcpy(&x, halves, sizeof x);
  return x;
}
inline Reals squareRoot(Reals x) {
  __m128d halves[2];
  std::memcpy(halves, &x, sizeof x);
  for (__m128d &half : halves)
    half = _mm_sqrt_pd(half);
  std::memcpy(&x, halves, sizeof x);
  return x;
}
} // namespace

#include "Numbers.h"

const RandomKernels mpc::runtime::kBaselineRandom = {makeUniform, makeNormal};
