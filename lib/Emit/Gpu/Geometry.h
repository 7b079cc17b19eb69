// How the threads of a GPU divide the points of a kernel. Decided here, from
// shapes and the description of the GPU; written down by the emitters.
//
// A thread takes *chunks* of the axis: as many neighbouring elements as one
// 16-byte access holds. Widths are such that no chunk is cut by the end of the
// axis and every access is aligned.
#ifndef MPC_EMIT_GPU_GEOMETRY_H
#define MPC_EMIT_GPU_GEOMETRY_H

#include "mpc/Dialect/Graph/Analysis/KernelShape.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Support/GpuDescription.h"

namespace mpc::emit {

/// Elements of a chunk: the largest power of two for which accesses of stride 1
/// along the axis are at most 16 bytes of their narrowest type (one-byte types
/// beside wider ones do not count) and 32 of their widest, and all of them
/// aligned to their size; 1 if some cannot be.
int64_t chooseChunkWidth(Block &body, const graph::KernelShape &shape);

/// A kernel without reductions: block b, thread t takes chunks
/// (b * chunksPerThread + k) * block + t, for each k.
struct PointwiseGeometry {
  int64_t width = 1;
  int64_t numChunks = 1;
  int64_t chunksPerThread = 1;
  int64_t block = 1;
  int64_t grid = 1;
};
PointwiseGeometry choosePointwiseGeometry(Block &body,
                                          const graph::KernelShape &shape,
                                          const GpuDescription &gpu);

/// A row kernel: `threads` of a block share a row, thread t of a row takes its
/// chunks k * threads + t. All reduced dims together are the row.
struct RowGeometry {
  int64_t width = 1;
  int64_t numRows = 1;
  int64_t chunksPerRow = 1;
  int64_t threads = 1; ///< A power of two; more than a warp: the block.
  int64_t rowsPerBlock = 1;
  int64_t chunksPerThread = 1;
  /// The row is too long for the registers: each sweep reads it again.
  bool loops = false;
  /// Blocks that share a row, if there are few rows, very long: each folds
  /// `roundsPerPart` rounds of it, and a second stage folds the parts.
  int64_t parts = 1;
  int64_t roundsPerPart = 0;
  /// Chunks that a thread of a long row takes at a time: 16 elements, so that
  /// what is computed of them fits the registers.
  int64_t round() const { return std::min<int64_t>(4, 16 / width); }
  int64_t chunksPerRound() const { return threads * round(); }
  int64_t block() const { return threads * rowsPerBlock; }
  int64_t grid() const;
};
RowGeometry chooseRowGeometry(Block &body, const graph::KernelShape &shape,
                              const GpuDescription &gpu);

/// The same of rows beside which columns are folded in parts. They stay in
/// registers, as do the columns: what fits was asked before such a group was
/// formed (FoldsInParts.h). By the shape alone.
RowGeometry chooseRowsWithColumns(Block &body, const graph::KernelShape &shape);

/// 32-bit registers per element of a row that hold values from one sweep to a
/// later one.
int64_t countKeptRegisters(Block &body, const graph::KernelShape &shape);

} // namespace mpc::emit

#endif // MPC_EMIT_GPU_GEOMETRY_H
