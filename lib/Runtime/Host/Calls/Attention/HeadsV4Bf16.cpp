// Attention of bf16 for AVX-512 with its instruction for products of pairs, and
// with AMX's for tiles of them: all but products is the same code.
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

static constexpr int kLanes = 16, kTileRows = 8;
static constexpr bool kSumsAreFar = false;
// In this order, each made of those before.
#include "../Vectors/Avx512.h"

#include "Words/PairColumns.h"
#include "Words/TileColumns.h"

#include "Products/Tiles.h"
#include "Products/Vectors.h"

#include "HeadKernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

const HeadKernels mpc::runtime::attention::kHeadsV4Bf16 =
    kKernelsOf<VectorUnit>;
const HeadKernels mpc::runtime::attention::kHeadsV4Amx = kKernelsOf<TileUnit>;
