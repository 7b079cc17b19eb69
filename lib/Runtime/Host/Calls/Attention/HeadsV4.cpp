// Attention for AVX-512: 24 of 32 registers are sums.
#include "Heads.h"

#include <cstring>
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(                                                  \
    __attribute__((                                                            \
        target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c"))), \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,f16c")
#endif

static constexpr int kLanes = 16, kTileRows = 12;
#include "HeadKernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

const HeadKernels mpc::runtime::attention::kHeadsV4 = {
    kBlock,    forwardScratch, backwardScratch, forward,
    beginKeys, backward,       endKeys};
