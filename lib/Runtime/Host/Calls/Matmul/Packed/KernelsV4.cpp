// Products in floats for AVX-512.
#include "Block.h"

#include "../../Vectors/BeginAvx512.h"

static constexpr bool kSumsAreFar = true;
#include "../../Vectors/Avx512.h"

#include "BlockKernels.h"

#include "../../Vectors/End.h"

const Kernels mpc::runtime::packed::kKernelsV4 = {countScratch, multiply,
                                                  widenAll, roundAll};
