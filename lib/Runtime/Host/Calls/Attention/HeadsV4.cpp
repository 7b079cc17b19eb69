// Attention for AVX-512.
#include "Heads.h"

#include "../Vectors/BeginAvx512.h"

static constexpr bool kSumsAreFar = false;
// In this order, each made of those before.
#include "../Vectors/Avx512.h"

#include "Words/Singles.h"

#include "Products/Vectors.h"

#include "HeadKernels.h"

#include "../Vectors/End.h"

const HeadKernels mpc::runtime::attention::kHeadsV4 = kKernelsOf<VectorUnit>;
