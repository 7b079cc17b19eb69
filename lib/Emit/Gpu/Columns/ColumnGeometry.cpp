#include "ColumnGeometry.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include <bit>

using namespace mpc;
using namespace mpc::emit;

namespace {
constexpr int64_t kThreads = 256;
// Neighbouring columns of a warp: with 16 bytes each, 8 of them fill a line of
// the cache; 32 are best for long rows of memory.
constexpr int64_t kMaxAcross = 32, kMinAcross = 8;
constexpr int64_t kSectorBits = 256;
// Rows of a thread: fewer are not worth a second stage, more are not worth to
// do without one.
constexpr int64_t kMinRowsPerThread = 8, kMaxRowsPerThread = 32;
// Rows whose loads are under way together, and the registers that these take;
// registers for everything but loads and sums.
constexpr int64_t kMaxUnroll = 4, kLoadRegisters = 48, kOtherRegisters = 44;

void divideBlock(ColumnGeometry &geometry, int64_t across) {
  geometry.across = across;
  geometry.down = std::min(kThreads / across, geometry.numRows);
}

int64_t bitsOf(Value value) {
  return mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
}

/// Registers that the loads of one row take.
int64_t countLoadRegisters(const graph::KernelShape &shape, int64_t width) {
  int64_t bits = 0;
  for (const auto &[value, access] : shape.accesses)
    if (shape.isSwept(value))
      bits += (access.strides[shape.axis] ? width : 1) * bitsOf(value);
  return std::max<int64_t>(1, bits / 32);
}

/// Of the narrowest element that is read row by row.
int64_t bitsOfSwept(const graph::KernelShape &shape) {
  int64_t bits = 64;
  for (const auto &[value, access] : shape.accesses)
    if (shape.isSwept(value) && access.strides[shape.axis])
      bits = std::min(bits, bitsOf(value));
  return bits;
}

int64_t countSumRegisters(Block &body, int64_t width) {
  int64_t registers = 0;
  for (Operation &op : body)
    if (isa<ReductionOpInterface>(op) &&
        llvm::is_contained(graph::getOpIndexing(&op).reduced, true))
      for (Value result : op.getResults())
        registers += width * llvm::divideCeil(bitsOf(result), 32);
  return registers;
}

/// Columns of a block: as many as a warp has lanes, or somewhat fewer if then
/// fewer threads have none. An even number: pairs of 16 bytes are what memory
/// moves.
int64_t chooseAcross(int64_t numColumns) {
  if (numColumns <= kMaxAcross)
    return numColumns;
  int64_t best = kMaxAcross;
  auto waste = [&](int64_t across) {
    return llvm::alignTo(numColumns, across) - numColumns;
  };
  for (int64_t across = kMaxAcross - 2; across >= kMaxAcross / 2; across -= 2)
    if (waste(across) < waste(best))
      best = across;
  return best;
}

/// Blocks that run at the same time, for certain: then all that have equal work
/// end together.
int64_t countResidentBlocks(const ColumnGeometry &geometry, Block &body,
                            const graph::KernelShape &shape,
                            const GpuDescription &gpu) {
  int64_t registers =
      kOtherRegisters + countSumRegisters(body, geometry.width) +
      geometry.unroll * countLoadRegisters(shape, geometry.width);
  int64_t blocks = std::clamp<int64_t>(
      gpu.registersPerMultiprocessor / (kThreads * registers), 1,
      gpu.threadsPerMultiprocessor / kThreads);
  return blocks * gpu.multiprocessors;
}
} // namespace

ColumnGeometry emit::chooseColumnGeometry(Block &body,
                                          const graph::KernelShape &shape,
                                          const GpuDescription &gpu) {
  ColumnGeometry geometry;
  geometry.width = chooseChunkWidth(body, shape);
  for (auto [number, dim] : llvm::enumerate(shape.dims))
    (number < shape.numItemDims ? geometry.numColumns : geometry.numRows) *=
        dim.size;
  geometry.numColumns /= geometry.width;
  geometry.rowsPerBlock = geometry.numRows;
  geometry.unroll = int64_t(std::bit_floor(uint64_t(std::clamp<int64_t>(
      kLoadRegisters / countLoadRegisters(shape, geometry.width), 1,
      kMaxUnroll))));

  divideBlock(geometry, std::min(geometry.numColumns, kMinAcross));
  bool isLong = geometry.numRows > geometry.down * kMaxRowsPerThread;
  divideBlock(geometry, chooseAcross(geometry.numColumns));
  int64_t blocks = std::min(
      countResidentBlocks(geometry, body, shape, gpu) / geometry.columnBlocks(),
      geometry.numRows / (geometry.down * kMinRowsPerThread));
  if (isLong && blocks > 1) {
    int64_t rounds = llvm::divideCeil(geometry.numRows, blocks * geometry.down);
    geometry.rowsPerBlock = rounds * geometry.down;
    geometry.rowBlocks =
        llvm::divideCeil(geometry.numRows, geometry.rowsPerBlock);
    return geometry;
  }
  // One stage: rather more blocks than wide ones, down to the 32 bytes that
  // memory moves at least.
  int64_t least =
      std::max<int64_t>(1, kSectorBits / (geometry.width * bitsOfSwept(shape)));
  while (geometry.across > least &&
         geometry.columnBlocks() < gpu.multiprocessors)
    divideBlock(geometry, std::max(least, geometry.across / 2));
  return geometry;
}

ColumnGeometry emit::chooseFinalGeometry(const ColumnGeometry &sweeps) {
  ColumnGeometry geometry = sweeps;
  // Partial results are wide enough for an access of their own.
  while (geometry.width > 4) {
    geometry.width /= 2;
    geometry.numColumns *= 2;
  }
  geometry.numRows = geometry.rowsPerBlock = sweeps.rowBlocks;
  geometry.rowBlocks = 1;
  divideBlock(geometry, std::min(geometry.numColumns, kMinAcross));
  return geometry;
}
