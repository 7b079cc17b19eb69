// Products in floats for AVX2: 12 of 16 registers are sums.
#include "Block.h"

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

static constexpr int kLanes = 8, kTileRows = 6;
static constexpr bool kSumsAreFar = true;
#include "../../Vectors/Avx2.h"

#include "BlockKernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

const Kernels mpc::runtime::packed::kKernelsV3 = {countScratch, multiply};
