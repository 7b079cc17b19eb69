// What follows is compiled for AVX-512, up to End.h. What it includes of others
// stands here, in front of that.
// Internal to the source of an instruction set: see Vectors.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_BEGINAVX512_H
#define MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_BEGINAVX512_H

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

// 16 of 32 registers are sums. (24 spill when a loop is unrolled, and gain
// nothing.)
static constexpr int kLanes = 16, kTileRows = 8;

#endif // MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_BEGINAVX512_H
