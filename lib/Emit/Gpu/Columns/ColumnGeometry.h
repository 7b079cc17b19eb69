// How the threads of a GPU divide the points of a column kernel.
//
// The *columns* are the chunks of the item dims: `width` neighbouring elements
// of the axis, at one index of the other item dims. The *rows* are the indices
// of the reduced dims. A block takes `across` neighbouring columns, with `down`
// threads for each, which take its rows in turn. Where that leaves too much of
// the GPU idle, the rows are cut into blocks, whose sums meet in the workspace.
#ifndef MPC_EMIT_GPU_COLUMNS_COLUMNGEOMETRY_H
#define MPC_EMIT_GPU_COLUMNS_COLUMNGEOMETRY_H

#include "../Geometry.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "llvm/Support/MathExtras.h"

namespace mpc::emit {

struct ColumnGeometry {
  int64_t width = 1;
  int64_t numColumns = 1;
  int64_t numRows = 1;
  int64_t across = 1;
  int64_t down = 1;
  int64_t rowBlocks = 1;
  int64_t rowsPerBlock = 1;
  /// Rows that a thread loads before it uses them.
  int64_t unroll = 1;

  /// Threads, whole warps; those from `across` * `down` on have no column.
  int64_t block() const { return llvm::alignTo(across * down, 32); }
  int64_t columnBlocks() const { return llvm::divideCeil(numColumns, across); }
};

/// Of the stages that sweep over the rows.
ColumnGeometry chooseColumnGeometry(Block &body,
                                    const graph::KernelShape &shape,
                                    const GpuDescription &gpu);
/// Of the stage that sums the row blocks of `sweeps` and stores what is left.
ColumnGeometry chooseFinalGeometry(const ColumnGeometry &sweeps);

} // namespace mpc::emit

#endif // MPC_EMIT_GPU_COLUMNS_COLUMNGEOMETRY_H
