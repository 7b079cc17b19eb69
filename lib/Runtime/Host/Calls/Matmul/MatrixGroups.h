// Small matrices of a batch that one call of a library multiplies together: a
// call costs a part of a microsecond, which is as long as such a product takes.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_MATRIXGROUPS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_MATRIXGROUPS_H

#include "MatmulShape.h"

namespace mpc::runtime {

/// Chosen from the shape, never from the number of threads, as blocks are.
struct MatrixGroups {
  /// Matrices of the batch that lie at one distance from each other: this many,
  /// and then as many more elsewhere.
  int64_t run = 1;
  int64_t lhs = 0, rhs = 0; ///< that distance, in elements
  int64_t perCall = 1;      ///< of a run, but for its last call

  bool areOne() const { return perCall == 1; }
  uint32_t countCalls(const MatmulShape &shape) const;
  /// The first matrix of call `index`, and how many there are in it.
  int64_t first(uint32_t index) const;
  int64_t count(uint32_t index) const;
  /// In the last call of a run.
  int64_t rest() const { return run % perCall; }
};

/// Groups of one matrix where products are no small ones, or lie otherwise.
MatrixGroups groupMatrices(const MatmulShape &shape);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_MATRIXGROUPS_H
