// A matrix product as strides and blocks: what oneDNN and our own loop share.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_MATMULSHAPE_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_MATMULSHAPE_H

#include "mpc/Program/Calls/Matmul.h"

#include <array>
#include <string>
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

/// Strides are in elements; the result and the bias are dense rows. Takes
/// memory by the dims of the batch, not by its matrices.
struct MatmulShape {
  int64_t rows, columns, inner;
  int64_t lhsRow, lhsInner; ///< distance to the next row, next k
  int64_t rhsInner, rhsColumn;
  int64_t matrices; ///< of the batch
  std::vector<int64_t> batch, lhsBatch,
      rhsBatch; ///< its dims and their strides
  int64_t blockRows, blockColumns;
  double flops() const; ///< of one matrix
  bool copiesLeft;      ///< for each column of blocks
  bool copiesRight;     ///< for each row of blocks

  /// Fails for more blocks than 32 bits count. To be asked before all else.
  Status check() const;
  uint32_t countBlocks() const;
  MatmulBlock block(uint32_t index) const;
  /// "1024x768x2304: 1x4 blocks of 1024x576, 1769472 elements copied of
  /// 1769472": of each matrix; the latter is what no cut can save.
  std::string describe() const;
  /// Whether oneDNN copies f32 into another layout for blocks of this size.
  /// What it reads where it lies takes twice as long on some strides.
  bool hasLargeBlocks() const;
  /// Numbers of blocks among which there is one of each size.
  std::array<uint32_t, 4> corners() const;

private:
  int64_t across() const; ///< blocks of a matrix beside each other
  int64_t down() const;
  BatchOffsets offsetsOf(int64_t matrix) const;
};

/// Elements that a block has at most where it is rounded by us: each worker
/// keeps its sums.
constexpr int64_t kMaxRounded = int64_t(1) << 19;

/// Operations of a product that is small.
constexpr double kMaxSmall = 1 << 20;

/// Chooses the blocks from the shape and from how the operands reach the
/// library, never from the number of threads: oneDNN's bits depend on it.
MatmulShape analyzeMatmul(const program::MatmulCall &call);
/// The same for kernels of ours, which pack both operands; f32 of small
/// products they read where it lies, but for a right matrix that lies by
/// columns.
MatmulShape analyzePackedMatmul(const program::MatmulCall &call);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_MATMULSHAPE_H
