// Segment sums on a GPU. A block owns what an item does on the CPU, in other
// sizes: it sets its segments to zero, then takes the indices in their order,
// as many at a time as it has threads, into shared memory; for each that is one
// of its segments all threads add the slice, each of them its own elements. So
// a thread reads and adds in the order of the indices what it alone has
// written: no atomics, and no barrier for the sums.
#include "Kernels.h"
#include "Memory.h"
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
constexpr int64_t kThreads = 256;
// Segments of a block: each walks over all indices.
constexpr int64_t kSegments = 128;

class SegmentSumEmitter {
public:
  explicit SegmentSumEmitter(GpuTask task);
  FailureOr<GpuKernel> emit();

private:
  void placeBlock();
  void setToZero();
  void addSlices();
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

SegmentSumEmitter::SegmentSumEmitter(GpuTask task)
    : task(task), op(cast<SegmentSumOpInterface>(task.body.front())), sums(op),
      element(mlir::getElementTypeOrSelf(op->getResult(0))),
      indexType(getGpuIndexType(task)),
      segments(std::min(kSegments, sums.numSegments)),
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

void SegmentSumEmitter::addSlices() {
  auto &f = *function;
  auto &b = f.b;
  Value shared = f.allocateShared(kThreads, indexType);
  loop(llvm::alignTo(sums.numIndices, kThreads), kThreads, [&](Value start) {
    Value own = findSegment(f.add(start, f.threadId()));
    memref::StoreOp::create(b, own, shared, toIndex(f.threadId()));
    f.synchronize();
    loop(std::min(kThreads, sums.numIndices), 1, [&](Value number) {
      Value segment = memref::LoadOp::create(b, shared, toIndex(number));
      auto guarded = scf::IfOp::create(b, f.isBelow(segment, segments),
                                       /*withElseRegion=*/false);
      mlir::OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(guarded.thenYield());
      addSlice(segment, f.add(start, number));
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
