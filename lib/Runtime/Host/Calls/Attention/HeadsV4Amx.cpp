// Attention of bf16 for AVX-512 with AMX: products of tiles of pairs.
#include "Heads.h"

#if !defined(__clang__) // of GCC 12's own functions for AVX-512
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <cstring>
#include <immintrin.h>
#include <utility>

#if defined(__clang__)
#pragma clang attribute push(                                                                        \
    __attribute__((target(                                                                           \
        "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512bf16,amx-tile,amx-bf16,avx2,fma,f16c"))), \
    apply_to = function)
#else
#pragma GCC target(                                                            \
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512bf16,amx-tile,amx-bf16,avx2,fma,f16c")
#endif

static constexpr int kLanes = 16;
// In this order, each made of those before.
#include "Instructions/Avx512.h"

#include "Words/TileColumns.h"

#include "Products/Tiles.h"

#include "HeadKernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

const HeadKernels mpc::runtime::attention::kHeadsV4Amx = {
    kBlock,    forwardScratch, backwardScratch, forward,
    beginKeys, backward,       endKeys};
