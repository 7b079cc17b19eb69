#include "Geometry.h"
#include "../Common/SweepPlan.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/Support/MathExtras.h"
#include <bit>

using namespace mpc;
using namespace mpc::emit;
using mpc::graph::KernelShape;

namespace {
// Bytes that a thread should have on their way to it: with the threads that fit
// a multiprocessor, enough to hide the latency of memory.
constexpr int64_t kBytesInFlight = 64;
constexpr int64_t kMaxUnroll = 4;
constexpr int64_t kPointwiseBlock = 256, kRowBlock = 128;
// Registers that hold a row between sweeps. A block of 1024 threads has 64 per
// thread for everything; rows of one warp may take more, because they need no
// barriers, and half as many threads suffice.
constexpr int64_t kKeptPerThread = 32, kKeptPerWarpThread = 64;
// Registers that hold a row and the columns beside it: of 512 threads each has
// 128, of which some are left for what is computed.
constexpr int64_t kColumnsPerThread = 64, kColumnsPerWarpThread = 128;
constexpr int64_t kMaxThreads = 1024, kLoopThreads = 512;
constexpr int64_t kMaxChunksPerThread = 16;
// Partial sums of a row, one per thread of the block that folds them.
constexpr int64_t kMaxParts = 1024;

/// Calls `fn` with each access to memory and the type of its tensor.
template <typename Fn>
void forEachAccess(Block &body, const KernelShape &shape, Fn fn) {
  for (const auto &[value, access] : shape.accesses) {
    Operation *op = value.getDefiningOp();
    if (!op || graph::getOpForm(op) != graph::OpForm::Index)
      fn(access, value.getType());
  }
  for (auto [access, value] :
       llvm::zip(shape.results, body.getTerminator()->getOperands()))
    fn(access, value.getType());
}

/// Tensors that differ along the row.
int64_t countRowAccesses(Block &body, const KernelShape &shape) {
  int64_t count = 0;
  forEachAccess(body, shape, [&](const graph::Access &access, Type) {
    count += access.strides[shape.axis] != 0;
  });
  return count;
}

int64_t countPoints(const KernelShape &shape, unsigned begin, unsigned end) {
  int64_t points = 1;
  for (unsigned dim = begin; dim < end; ++dim)
    points *= shape.dims[dim].size;
  return points;
}

/// Registers of one element of `value`.
int64_t registersOf(Value value) {
  return getElementBytes(mlir::getElementTypeOrSelf(value)) == 8 ? 2 : 1;
}

/// The sweep in which `op` takes its operands; 0: not while sweeping.
unsigned getSweepOf(Operation *op, const KernelShape &shape) {
  if (isa<ReductionOpInterface>(op) &&
      llvm::is_contained(graph::getOpIndexing(op).reduced, true))
    return shape.depths.lookup(op->getResult(0));
  uint64_t sweeps = 0;
  for (Value result : op->getResults())
    sweeps |= shape.sweeps.lookup(result);
  return sweeps ? std::countr_zero(sweeps) : 0;
}
} // namespace

int64_t emit::chooseChunkWidth(Block &body, const KernelShape &shape) {
  if (shape.axis < 0)
    return 1;
  int64_t narrowest = 16, widest = 1, common = shape.dims[shape.axis].size;
  bool any = false;
  forEachAccess(body, shape, [&](const graph::Access &access, Type type) {
    if (access.strides[shape.axis] != 1)
      return;
    any = true;
    int64_t bytes = getElementBytes(mlir::getElementTypeOrSelf(type));
    widest = std::max(widest, bytes);
    if (bytes > 1)
      narrowest = std::min(narrowest, bytes);
    common = std::gcd(common, access.offset);
    common = std::gcd(common, access.indexStride);
    for (auto [dim, stride] : llvm::enumerate(access.strides))
      if (int(dim) != shape.axis)
        common = std::gcd(common, stride);
  });
  if (!any)
    return 1;
  int64_t width = widest == 1 ? 16 : std::min(16 / narrowest, 32 / widest);
  while (common % width)
    width /= 2;
  return width;
}

PointwiseGeometry emit::choosePointwiseGeometry(Block &body,
                                                const KernelShape &shape,
                                                const GpuDescription &gpu) {
  PointwiseGeometry geometry;
  if (shape.axis < 0)
    return geometry;
  geometry.width = chooseChunkWidth(body, shape);
  geometry.numChunks =
      countPoints(shape, 0, shape.dims.size()) / geometry.width;
  geometry.block = kPointwiseBlock;
  // What repeats along a dim comes from a cache.
  int64_t loaded = 0;
  for (const auto &[value, access] : shape.accesses) {
    Operation *op = value.getDefiningOp();
    if (shape.varies.lookup(value) == shape.allMask() &&
        !(op && graph::getOpForm(op) == graph::OpForm::Index))
      loaded +=
          geometry.width * getElementBytes(mlir::getElementTypeOrSelf(value));
  }
  int64_t wanted = std::clamp<int64_t>(
      kBytesInFlight / std::max<int64_t>(loaded, 1), 1, kMaxUnroll);
  geometry.chunksPerThread = std::bit_floor(uint64_t(wanted));
  // Small kernels: all multiprocessors first.
  int64_t wave = int64_t(gpu.multiprocessors) * gpu.threadsPerMultiprocessor;
  while (geometry.chunksPerThread > 1 &&
         geometry.numChunks < wave * geometry.chunksPerThread)
    geometry.chunksPerThread /= 2;
  while (geometry.block > 64 &&
         geometry.numChunks < int64_t(gpu.multiprocessors) * geometry.block)
    geometry.block /= 2;
  geometry.grid = llvm::divideCeil(geometry.numChunks,
                                   geometry.block * geometry.chunksPerThread);
  return geometry;
}

int64_t emit::countKeptRegisters(Block &body, const KernelShape &shape) {
  SmallVector<int64_t> kept(64, 0); // After each sweep.
  auto count = [&](Value value) {
    Operation *op = value.getDefiningOp();
    uint64_t sweeps = shape.sweeps.lookup(value);
    if (!sweeps || (op && graph::isMadeInKernel(op)))
      return;
    unsigned last = 0;
    for (Operation *user : value.getUsers())
      if (!user->hasTrait<mlir::OpTrait::IsTerminator>() &&
          !shape.accesses.contains(user->getResult(0)))
        last = std::max(last, getSweepOf(user, shape));
    auto yields = body.getTerminator()->getOperands();
    for (auto [number, yielded] : llvm::enumerate(yields))
      if (yielded == value && shape.isSweptResult(number))
        last = std::max(last, shape.depths.lookup(value) + 1);
    for (unsigned sweep = std::countr_zero(sweeps); sweep < last; ++sweep)
      kept[sweep] += registersOf(value);
  };
  for (Value argument : body.getArguments())
    count(argument);
  for (Operation &op : body.without_terminator())
    for (Value result : op.getResults())
      count(result);
  return *llvm::max_element(kept);
}

int64_t RowGeometry::grid() const {
  return llvm::divideCeil(numRows, rowsPerBlock) * parts;
}

/// Shares long rows out among blocks where there are fewer rows than the GPU
/// has room for blocks. What a second sweep needs is only known when all have
/// finished, so there must be one.
static void chooseParts(RowGeometry &geometry, Block &body,
                        const KernelShape &shape, const GpuDescription &gpu) {
  int64_t room = 2 * int64_t(gpu.multiprocessors) *
                 std::min<int64_t>(gpu.threadsPerMultiprocessor, 1024) /
                 geometry.threads;
  int64_t rounds =
      llvm::divideCeil(geometry.chunksPerRow, geometry.chunksPerRound());
  int64_t parts = std::min({room / geometry.numRows, rounds / 2, kMaxParts});
  if (!geometry.loops || parts < 2 || SweepPlan(body, shape).count() != 1)
    return;
  geometry.roundsPerPart = llvm::divideCeil(rounds, parts);
  geometry.parts = llvm::divideCeil(rounds, geometry.roundsPerPart);
}

RowGeometry emit::chooseRowGeometry(Block &body, const KernelShape &shape,
                                    const GpuDescription &gpu) {
  RowGeometry geometry;
  geometry.width = chooseChunkWidth(body, shape);
  geometry.numRows = countPoints(shape, 0, shape.numItemDims);
  geometry.chunksPerRow =
      countPoints(shape, shape.numItemDims, shape.dims.size()) / geometry.width;
  int64_t kept =
      std::max<int64_t>(1, countKeptRegisters(body, shape)) * geometry.width;
  auto fits = [&](int64_t threads) {
    int64_t chunks = llvm::divideCeil(geometry.chunksPerRow, threads);
    return chunks <= kMaxChunksPerThread &&
           chunks * kept <=
               (threads <= 32 ? kKeptPerWarpThread : kKeptPerThread);
  };
  int64_t threads =
      std::min<int64_t>(std::bit_ceil(uint64_t(geometry.chunksPerRow)), 32);
  while (threads < kMaxThreads && !fits(threads))
    threads *= 2;
  geometry.loops = !fits(threads);
  // Of 1024 threads each has 64 registers: enough to read one row and to write
  // another.
  if (geometry.loops && (geometry.numRows >= gpu.multiprocessors ||
                         countRowAccesses(body, shape) > 2 ||
                         SweepPlan(body, shape).count() == 1))
    threads = kLoopThreads;
  geometry.threads = threads;
  geometry.chunksPerThread = llvm::divideCeil(geometry.chunksPerRow, threads);
  if (threads <= 32) {
    int64_t block = kRowBlock;
    while (block > 32 &&
           geometry.numRows * threads < int64_t(gpu.multiprocessors) * block)
      block /= 2;
    geometry.rowsPerBlock = block / threads;
  }
  chooseParts(geometry, body, shape, gpu);
  return geometry;
}

RowGeometry emit::chooseRowsWithColumns(Block &body, const KernelShape &shape) {
  RowGeometry geometry;
  geometry.width = chooseChunkWidth(body, shape);
  geometry.numRows = countPoints(shape, 0, shape.numItemDims);
  geometry.chunksPerRow =
      countPoints(shape, shape.numItemDims, shape.dims.size()) / geometry.width;
  int64_t kept = std::max<int64_t>(1, countKeptRegisters(body, shape));
  for (auto [number, value] :
       llvm::enumerate(body.getTerminator()->getOperands()))
    if (shape.isPartial(number))
      kept += registersOf(value);
  auto fits = [&](int64_t threads) {
    int64_t chunks = llvm::divideCeil(geometry.chunksPerRow, threads);
    return chunks <= kMaxChunksPerThread &&
           chunks * kept * geometry.width <=
               (threads <= 32 ? kColumnsPerWarpThread : kColumnsPerThread);
  };
  int64_t threads =
      std::min<int64_t>(std::bit_ceil(uint64_t(geometry.chunksPerRow)), 32);
  while (threads < kLoopThreads && !fits(threads))
    threads *= 2;
  geometry.threads = threads;
  geometry.chunksPerThread = llvm::divideCeil(geometry.chunksPerRow, threads);
  // A part has few rows: rather idle threads than a warp that is none.
  if (threads <= 32) {
    int64_t rows = std::min<int64_t>(
        kRowBlock / threads, std::bit_ceil(uint64_t(shape.rowsPerPart)));
    geometry.rowsPerBlock = std::max<int64_t>(32 / threads, rows);
  }
  return geometry;
}
