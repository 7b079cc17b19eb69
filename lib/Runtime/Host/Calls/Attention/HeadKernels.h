// The kernels of attention, for vectors of kLanes floats. Included by one
// source per instruction set, which turns it on, defines kLanes, and includes
// what it has instructions for (../Vectors), what products multiply (Words) and
// how (Products). Everything here is internal to that source; what it includes
// stands in front of the instruction set, so that nothing that others might
// share is compiled for it. What is called once for a block is kept out of line
// (gnu::noinline), or GCC makes a copy for each of its callers.
//
// Queries lie in the lanes of vectors. So maximum, sum and log-sum-exp are
// vectors, nothing is folded across lanes or broadcast from them, and one
// micro-kernel does all products, forward and backward:
//
//   C[m][lane] (=, += or C alpha +) sum_k A(m, k) B[k][lane]
//
// of words, each a float or a pair of bf16 that are neighbours in k:
//
//   scores     S[j][i] = sum_d K[j][d] Q[d][i]         i: query, j: key
//   results    O[c][i] = O alpha + sum_j V[j][c] P[j][i]
//   backward   dP[j][i] = sum_c V[j][c] dO[c][i]        dS = P (dP - delta)
//              dV[j][c] += sum_i P[j][i] dO[i][c]       lanes are channels here
//              dK[j][c] += sum_i dS[j][i] Q[i][c]
//              dQ[c][i] += sum_j K[j][c] dS[j][i]
//
// Blocks of kBlock queries meet blocks of keys; what no query of a block may
// see is not computed. The sum of a block starts at 0 and is then added to the
// total, so that chains of additions are short. (FlashAttention: Dao et al.,
// 2022, and the order of loops of its second version.)
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_HEADKERNELS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_HEADKERNELS_H

#if defined(__clang__)
#pragma clang fp contract(fast) // as GCC does
#endif

#include "Kernels/Backward.h"
#include "Kernels/Forward.h"

namespace {
template <typename Unit>
constexpr HeadKernels kKernelsOf = {
    kBlock,          forwardScratch<Unit>, backwardScratch<Unit>, forward<Unit>,
    beginKeys<Unit>, backward<Unit>,       endKeys<Unit>};
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_HEADKERNELS_H
