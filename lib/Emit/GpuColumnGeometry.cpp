#include "GpuColumnGeometry.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::emit;

namespace {
constexpr int64_t kThreads = 256;
// Neighbouring columns of a warp: with 16 bytes each, 8 of them fill a line of
// the cache; 32 are best for long rows of memory.
constexpr int64_t kMaxAcross = 32, kMinAcross = 8;
// Rows of a thread: fewer are not worth a second stage, more are not worth to
// do without one.
constexpr int64_t kMinRowsPerThread = 8, kMaxRowsPerThread = 32;

void divideBlock(ColumnGeometry &geometry, int64_t across) {
  geometry.across = across;
  geometry.down = std::min(kThreads / across, geometry.numRows);
}
} // namespace

ColumnGeometry emit::chooseColumnGeometry(graph::GroupOp group,
                                          const graph::KernelShape &shape,
                                          const GpuDescription &gpu) {
  ColumnGeometry geometry;
  geometry.width = chooseChunkWidth(group, shape);
  for (auto [number, dim] : llvm::enumerate(shape.dims))
    (number < shape.numItemDims ? geometry.numColumns : geometry.numRows) *=
        dim.size;
  geometry.numColumns /= geometry.width;
  divideBlock(geometry, std::min(geometry.numColumns, kMaxAcross));

  int64_t wave = int64_t(gpu.multiprocessors) * gpu.threadsPerMultiprocessor;
  int64_t wanted =
      llvm::divideCeil(wave / geometry.block(), geometry.columnBlocks());
  int64_t worthwhile = geometry.numRows / (geometry.down * kMinRowsPerThread);
  geometry.rowsPerBlock = geometry.numRows;
  ColumnGeometry narrow = geometry;
  divideBlock(narrow, std::min(geometry.numColumns, kMinAcross));
  bool isLong = geometry.numRows > narrow.down * kMaxRowsPerThread;
  if (isLong && std::min(wanted, worthwhile) > 1) {
    int64_t rounds = llvm::divideCeil(
        geometry.numRows, std::min(wanted, worthwhile) * geometry.down);
    geometry.rowsPerBlock = rounds * geometry.down;
    geometry.rowBlocks =
        llvm::divideCeil(geometry.numRows, geometry.rowsPerBlock);
    return geometry;
  }
  // One stage: rather more blocks than wide ones.
  while (geometry.across > kMinAcross &&
         geometry.columnBlocks() < gpu.multiprocessors)
    divideBlock(geometry, std::max(kMinAcross, geometry.across / 2));
  return geometry;
}

ColumnGeometry emit::chooseFinalGeometry(const ColumnGeometry &sweeps) {
  ColumnGeometry geometry = sweeps;
  geometry.numRows = geometry.rowsPerBlock = sweeps.rowBlocks;
  geometry.rowBlocks = 1;
  divideBlock(geometry, std::min(geometry.numColumns, kMinAcross));
  return geometry;
}
