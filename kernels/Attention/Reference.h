// Attention in plain C++ and f64, one score at a time: what the kernels are
// checked against. Pointers are to host memory here.
#ifndef MPC_KERNELS_ATTENTION_REFERENCE_H
#define MPC_KERNELS_ATTENTION_REFERENCE_H

#include "kernels/Attention/Problem.h"
#include <vector>

namespace mpc::kernels {

/// Elements of a dense result and, of each, the sum of the magnitudes of its
/// terms: what its rounding errors are measured by.
struct ReferenceValues {
  std::vector<double> values, terms;
};

struct ReferenceForward {
  ReferenceValues result;        ///< [batch, query, head, value width]
  std::vector<double> logSumExp; ///< [batch, head, query]
};
ReferenceForward referenceForward(const AttentionProblem &problem);

/// [batch, time, head, width]. Computed from the problem's result and
/// log-sum-exp, as they are stored.
struct ReferenceBackward {
  ReferenceValues queryGradient, keyGradient, valueGradient;
};
ReferenceBackward referenceBackward(const AttentionProblem &problem);

} // namespace mpc::kernels

#endif // MPC_KERNELS_ATTENTION_REFERENCE_H
