// What follows is compiled for AVX2, up to End.h. What it includes of others
// stands here, in front of that.
// Internal to the source of an instruction set: see Vectors.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_BEGINAVX2_H
#define MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_BEGINAVX2_H

#include <cstring>
#include <immintrin.h>
#include <type_traits>
#include <utility>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))),         \
                             apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif

// 12 of 16 registers are sums.
static constexpr int kLanes = 8, kTileRows = 6;

#endif // MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_BEGINAVX2_H
