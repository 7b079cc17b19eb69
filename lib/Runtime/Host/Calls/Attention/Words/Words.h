// What products multiply: words of 32 bits, which hold one float, or a pair of
// numbers of bf16 that stand next to each other in the dim that is summed over.
// Operands are views of words, or packed into them; the headers beside this one
// say how, each for one kind of word, under the same names:
//
//   kPair          numbers in a word
//   multiplyAdd    adds the product of two vectors of words to sums
//   readWords      a row of a head as words along its width
//   viewRows       rows as words along their width
//   viewColumns    the same rows as words along time, transposed
//   packPair       kPair rows as one row of words along time
//   joinRows       vectors of kPair rows as one vector of words along time
//   storeRows      vectors of kPair rows as words along the rows
//   storeBoth      joinRows and storeRows of the same rows
//
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_WORDS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_WORDS_H

#include "../../Vectors/MultiplyRows.h"
#include "../Kernels/Rows.h"

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_WORDS_H
