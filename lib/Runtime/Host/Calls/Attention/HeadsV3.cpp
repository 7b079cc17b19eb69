// Attention for AVX2: 12 of 16 registers are sums.
#include "Heads.h"

#include <cstring>
#include <immintrin.h>
#include <utility>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))),         \
                             apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif

static constexpr int kLanes = 8, kTileRows = 6;
static constexpr bool kSumsAreFar = false;
// In this order, each made of those before.
#include "../Vectors/Avx2.h"

#include "Words/Singles.h"

#include "Products/Vectors.h"

#include "HeadKernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

const HeadKernels mpc::runtime::attention::kHeadsV3 = kKernelsOf<VectorUnit>;
