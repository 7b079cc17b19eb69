// Maxima that need not care for NaN.
#ifndef MPC_EMIT_COMMON_MAXIMA_H
#define MPC_EMIT_COMMON_MAXIMA_H

#include "mpc/Interfaces/KernelOpInterfaces.h"

namespace mpc::emit {

/// Whether `reduction`, an op of a group, is a maximum of floats that may pass
/// over NaN: wherever one is folded, all that depends on the maximum is NaN by
/// a sum over the same elements. So is that of softmax, whose sum of
/// exponentials has one of each element.
bool mayPassOverNaN(ReductionOpInterface reduction);

} // namespace mpc::emit

#endif // MPC_EMIT_COMMON_MAXIMA_H
