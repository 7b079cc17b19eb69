// The micro-kernel: C[m][lane] (=, += or C alpha +) sum_k A(m, k) B[k][lane],
// for words A(m, k) and B[k][lane]. The headers beside this one are it, each a
// unit for other instructions, which the kernels are templates of. It is on
// while it lives, and has
//
//   multiply          `rows` rows of kBlock lanes; `inner` words are summed
//   viewColumns       rows as words along time, transposed, as its left operand
//   countColumnWords  words that viewColumns needs for `count` rows
//
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_PRODUCTS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_PRODUCTS_H

#include "../Words/Words.h"

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_PRODUCTS_H
