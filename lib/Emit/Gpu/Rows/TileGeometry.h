// How a block takes rows and the columns beside them in tiles: a few rows at a
// time lie in shared memory, where warps fold them along the rows and then
// threads fold them along the columns, while the next ones are on their way.
#ifndef MPC_EMIT_GPU_ROWS_TILEGEOMETRY_H
#define MPC_EMIT_GPU_ROWS_TILEGEOMETRY_H

#include "../Function.h"
#include "../Geometry.h"

namespace mpc::emit {

struct TileGeometry {
  /// Rows of a tile, of as many threads each as fold one: a multiple of a warp.
  RowGeometry rows;
  /// What differs along rows and columns, and is copied.
  SmallVector<Value> operands;
  /// Bytes that a thread copies at a time, of each of these.
  SmallVector<int64_t> copyBytes;
  /// What each row comes to, and its columns are computed from.
  SmallVector<Value> totals;
  /// Chunks of columns of a thread.
  int64_t columnChunks() const;
};

/// Nothing where rows cannot be copied with at least 4 bytes at a time, where
/// two tiles of one row have no room, or where a warp keeps a row and its
/// columns in registers.
std::optional<TileGeometry> chooseTiles(GpuTask task);

} // namespace mpc::emit

#endif // MPC_EMIT_GPU_ROWS_TILEGEOMETRY_H
