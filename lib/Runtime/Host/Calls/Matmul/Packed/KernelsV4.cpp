// Products in floats for AVX-512: 16 of 32 registers are sums.
#include "Block.h"

#if !defined(__clang__) // of GCC 12's own functions for AVX-512
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <cstring>
#include <immintrin.h>
#include <type_traits>
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
static constexpr bool kSumsAreFar = true;
#include "../../Vectors/Avx512.h"

#include "BlockKernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

const Kernels mpc::runtime::packed::kKernelsV4 = {countScratch, multiply};
