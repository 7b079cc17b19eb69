// Attention for AVX2.
#include "Heads.h"

#include "../Vectors/BeginAvx2.h"

static constexpr bool kSumsAreFar = false;
// In this order, each made of those before.
#include "../Vectors/Avx2.h"

#include "Words/Singles.h"

#include "Products/Vectors.h"

#include "HeadKernels.h"

#include "../Vectors/End.h"

const HeadKernels mpc::runtime::attention::kHeadsV3 = kKernelsOf<VectorUnit>;
