// Attention for AVX-512: 16 of 32 registers are sums. (24 spill when a loop is
// unrolled, and gain nothing.)
#include "Heads.h"

#if !defined(__clang__) // of GCC 12's own functions for AVX-512
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <cstring>
#include <immintrin.h>
#include <utility>

#if defined(__clang__)
#pragma clang attribute push(                                                  \
    __attribute__((                                                            \
        target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c"))), \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c")
#endif

static constexpr int kLanes = 16, kTileRows = 8;
static constexpr bool kSumsAreFar = false;
// In this order, each made of those before.
#include "../Vectors/Avx512.h"

#include "Words/Singles.h"

#include "Products/Vectors.h"

#include "HeadKernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

const HeadKernels mpc::runtime::attention::kHeadsV4 = kKernelsOf<VectorUnit>;
