// A matrix product as strides and blocks: what oneDNN and our own loop share.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_MATMULSHAPE_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_MATMULSHAPE_H

#include "mpc/Program/Calls/Matmul.h"

#include <vector>

namespace mpc::runtime {

/// Element offsets of one matrix of the batch.
struct BatchOffsets {
  int64_t lhs, rhs, result;
};

/// One block of the result: rows and columns of one matrix of the batch.
struct MatmulBlock {
  BatchOffsets offsets; ///< of the block's first operand and result elements
  int64_t row, column;
  int64_t rows, columns;
};

/// Strides are in elements; the result and the bias are dense rows.
struct MatmulShape {
  int64_t rows, columns, inner;
  int64_t lhsRow, lhsInner; ///< distance to the next row, next k
  int64_t rhsInner, rhsColumn;
  std::vector<BatchOffsets> batch;
  int64_t blockRows, blockColumns;

  uint32_t countBlocks() const;
  MatmulBlock block(uint32_t index) const;
};

/// Chooses the blocks from the shape alone (never from the machine: the bits
/// depend on it). The operands lie as the call says, or as `lhs` and `rhs` say,
/// strides by dim.
MatmulShape analyzeMatmul(const program::MatmulCall &call);
MatmulShape analyzeMatmul(const program::MatmulCall &call,
                          std::span<const int64_t> lhs,
                          std::span<const int64_t> rhs);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_MATMULSHAPE_H
