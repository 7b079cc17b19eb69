// Segment sums on a GPU. A block owns what an item does on the CPU, in other
// sizes: it sets its segments to zero, then takes the indices in their order,
// as many at a time as it has threads. Each warp marks those that are of the
// block in a word of shared memory; for each that is marked all threads add the
// slice, each of them its own elements. So a thread reads and adds in the order
// of the indices what it alone has written: no atomics, and no barrier for the
// sums.
#include "Kernels.h"
#include "Memory.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mpc/Dialect/Graph/Analysis/SegmentSums.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;

namespace {
constexpr int64_t kThreads = 256, kWarps = kThreads / kWarp;
// Segments of a block, at most: each block walks over all indices, so there are
// no more than run at the same time unless their segments would be too many.
constexpr int64_t kSegments = 128, kBlocksPerMultiprocessor = 8;

class SegmentSumEmitter {
public:
  explicit SegmentSumEmitter(GpuTask task);
  FailureOr<GpuKernel> emit();

private:
  void placeBlock();
  void setToZero();
  void addSlices();
  Value markLanes(Value isMarked);
  void forEachMark(Value marks, function_ref<void(Value lane)> fill);
  Value findSegment(Value position);
  void addSlice(Value segment, Value position);
  void forEachChunk(function_ref<void(Value offset, const Scope &scope)> fill);
  void loop(int64_t end, int64_t step, function_ref<void(Value)> fill);
  Value toIndex(Value number) {
    return arith::IndexCastUIOp::create(function->b, function->b.getIndexType(),
                                        number);
  }
  Value flattenOperand(unsigned number);

  GpuTask task;
  SegmentSumOpInterface op;
  graph::SegmentSums sums;
  Type element, indexType;
  /// Elements of one access, and of all threads.
  int64_t width = 1, chunks = 1, segments, numBlocks;
  GpuFunction *function = nullptr;
  Value before, first; ///< Of the block: the first segment.
};
} // namespace

static int64_t chooseSegments(GpuTask task, const graph::SegmentSums &sums) {
  int64_t blocks =
      kBlocksPerMultiprocessor * int64_t(task.options.gpu->multiprocessors);
  int64_t wanted = llvm::divideCeil(sums.before * sums.numSegments, blocks);
  return std::min({wanted, kSegments, sums.numSegments});
}

SegmentSumEmitter::SegmentSumEmitter(GpuTask task)
    : task(task), op(cast<SegmentSumOpInterface>(task.body.front())), sums(op),
      element(mlir::getElementTypeOrSelf(op->getResult(0))),
      indexType(getGpuIndexType(task)), segments(chooseSegments(task, sums)),
      numBlocks(llvm::divideCeil(sums.numSegments, segments)) {
  width = 16 / getElementBytes(element);
  while (sums.after % width)
    width /= 2;
  chunks = sums.after / width;
}

Value SegmentSumEmitter::flattenOperand(unsigned number) {
  auto own = cast<mlir::BlockArgument>(op->getOperand(number));
  return function->flatten(own.getArgNumber());
}

void SegmentSumEmitter::loop(int64_t end, int64_t step,
                             function_ref<void(Value)> fill) {
  auto &b = function->b;
  auto own = scf::ForOp::create(b, function->index(0), function->index(end),
                                function->index(step));
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(own.getBody());
  fill(own.getInductionVar());
}

void SegmentSumEmitter::placeBlock() {
  auto &f = *function;
  before = f.divide(f.blockId(), numBlocks);
  Value block =
      numBlocks == 1 ? f.index(0) : f.remainder(f.blockId(), numBlocks);
  first = f.multiply(block, segments);
}

/// The chunks of a slice that are this thread's.
void SegmentSumEmitter::forEachChunk(
    function_ref<void(Value, const Scope &)> fill) {
  auto &f = *function;
  Scope scope = f.makeEntry();
  scope.isVector = true;
  loop(llvm::alignTo(chunks, kThreads), kThreads, [&](Value start) {
    Value chunk = f.add(start, f.threadId());
    Scope own = scope;
    if (chunks % kThreads)
      own.predicate = f.isBelow(chunk, chunks);
    fill(f.multiply(chunk, width), own);
  });
}

void SegmentSumEmitter::setToZero() {
  auto &f = *function;
  GpuMemory memory(f.b, width);
  Value result = f.flatten(task.body.getNumArguments());
  Value zero = arith::ConstantOp::create(
      f.b, f.b.getZeroAttr(getLanesType(element, width)));
  loop(segments, 1, [&](Value number) {
    Value segment = f.add(first, number);
    Value row = f.multiply(f.add(f.multiply(before, sums.numSegments), segment),
                           sums.after);
    forEachChunk([&](Value offset, const Scope &scope) {
      Scope own = scope;
      if (sums.numSegments % segments)
        own.predicate =
            f.both(scope.predicate, f.isBelow(segment, sums.numSegments));
      memory.write(result, f.add(row, offset), 1, zero, own);
    });
  });
}

/// Of the index at `position`: which segment of the block, or a number that is
/// none.
Value SegmentSumEmitter::findSegment(Value position) {
  auto &f = *function;
  auto &b = f.b;
  Value indices = flattenOperand(1);
  Type integer = cast<mlir::MemRefType>(indices.getType()).getElementType();
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(integer, number));
  };
  GpuMemory memory(b, 1);
  Scope scope = f.makeEntry();
  Value exists = f.isBelow(position, sums.numIndices);
  scope.predicate = exists;
  Value named = memory.read(indices, position, 1, scope);
  // In the type of the indices, so that none from outside gets in.
  Value counts = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, named,
                                       constant(sums.numSegments));
  counts = f.both(counts, exists);
  if (sums.ignored)
    counts =
        f.both(counts, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, named,
                                             constant(*sums.ignored)));
  Value safe = arith::SelectOp::create(b, counts, named, constant(0));
  unsigned from = integer.getIntOrFloatBitWidth(),
           to = indexType.getIntOrFloatBitWidth();
  if (from != to)
    safe = from < to ? arith::ExtUIOp::create(b, indexType, safe).getResult()
                     : arith::TruncIOp::create(b, indexType, safe).getResult();
  Value own = arith::SubIOp::create(b, safe, first);
  return arith::SelectOp::create(b, counts, own, f.index(segments));
}

void SegmentSumEmitter::addSlice(Value segment, Value position) {
  auto &f = *function;
  GpuMemory memory(f.b, width);
  Value result = f.flatten(task.body.getNumArguments());
  Value input = flattenOperand(0);
  Value to = f.multiply(
      f.add(f.multiply(before, sums.numSegments), f.add(first, segment)),
      sums.after);
  Value from = f.multiply(f.add(f.multiply(before, sums.numIndices), position),
                          sums.after);
  forEachChunk([&](Value offset, const Scope &scope) {
    Value address = f.add(to, offset);
    Value sum = memory.read(result, address, 1, scope);
    Value slice = memory.read(input, f.add(from, offset), 1, scope);
    sum = isa<FloatType>(element)
              ? arith::AddFOp::create(f.b, sum, slice).getResult()
              : arith::AddIOp::create(f.b, sum, slice).getResult();
    memory.write(result, address, 1, sum, scope);
  });
}

/// A word of a bit for each lane of the warp, the same in all of them.
Value SegmentSumEmitter::markLanes(Value isMarked) {
  auto &f = *function;
  auto &b = f.b;
  Type word = b.getI32Type();
  Value lane = f.remainder(f.threadId(), kWarp);
  if (lane.getType() != word)
    lane = arith::TruncIOp::create(b, word, lane);
  Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
  Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value marks = arith::SelectOp::create(
      b, isMarked, arith::ShLIOp::create(b, one, lane), none);
  for (int32_t offset = kWarp / 2; offset >= 1; offset /= 2) {
    auto others = mlir::gpu::ShuffleOp::create(b, marks, offset, kWarp,
                                               mlir::gpu::ShuffleMode::XOR);
    marks = arith::OrIOp::create(b, marks, others.getShuffleResult());
  }
  return marks;
}

/// In the order of the lanes.
void SegmentSumEmitter::forEachMark(Value marks,
                                    function_ref<void(Value)> fill) {
  auto &b = function->b;
  Type word = b.getI32Type();
  Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
  Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  scf::WhileOp::create(
      b, word, marks,
      [&](OpBuilder &builder, mlir::Location loc, ValueRange left) {
        Value any = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ne, left.front(), none);
        scf::ConditionOp::create(builder, loc, any, left);
      },
      [&](OpBuilder &builder, mlir::Location, ValueRange left) {
        mlir::OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(builder.getInsertionBlock());
        Value lane = mlir::math::CountTrailingZerosOp::create(b, left.front());
        if (indexType != word)
          lane = arith::ExtUIOp::create(b, indexType, lane);
        fill(lane);
        Value others = arith::AndIOp::create(
            b, left.front(), arith::SubIOp::create(b, left.front(), one));
        scf::YieldOp::create(b, others);
      });
}

void SegmentSumEmitter::addSlices() {
  auto &f = *function;
  auto &b = f.b;
  Value found = f.allocateShared(kThreads, indexType);
  Value marked = f.allocateShared(kWarps, b.getI32Type());
  Value warp = f.divide(f.threadId(), kWarp);
  Value isFirst = f.isEqual(f.remainder(f.threadId(), kWarp), 0);
  loop(llvm::alignTo(sums.numIndices, kThreads), kThreads, [&](Value start) {
    Value own = findSegment(f.add(start, f.threadId()));
    memref::StoreOp::create(b, own, found, toIndex(f.threadId()));
    Value marks = markLanes(f.isBelow(own, segments));
    auto byFirst = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
    {
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(byFirst.thenYield());
      memref::StoreOp::create(b, marks, marked, toIndex(warp));
    }
    f.synchronize();
    loop(kWarps, 1, [&](Value number) {
      Value word = memref::LoadOp::create(b, marked, toIndex(number));
      Value before = f.multiply(number, kWarp);
      forEachMark(word, [&](Value lane) {
        Value place = f.add(before, lane);
        Value segment = memref::LoadOp::create(b, found, toIndex(place));
        addSlice(segment, f.add(start, place));
      });
    });
    f.synchronize();
  });
}

FailureOr<GpuKernel> SegmentSumEmitter::emit() {
  auto stage = makeGpuStage(task, sums.before * numBlocks, kThreads);
  if (failed(stage))
    return failure();
  GpuFunction own(task, *stage);
  function = &own;
  placeBlock();
  setToZero();
  addSlices();
  own.finish();
  return GpuKernel{{*stage}};
}

FailureOr<GpuKernel> emit::emitGpuSegmentSum(GpuTask task) {
  return SegmentSumEmitter(task).emit();
}
