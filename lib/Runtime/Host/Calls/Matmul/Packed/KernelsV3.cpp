// Products in floats for AVX2.
#include "Block.h"

#include "../../Vectors/BeginAvx2.h"

static constexpr bool kSumsAreFar = true;
#include "../../Vectors/Avx2.h"

#include "BlockKernels.h"

#include "../../Vectors/End.h"

const Kernels mpc::runtime::packed::kKernelsV3 = {countScratch, multiply,
                                                  widenAll, roundAll};
