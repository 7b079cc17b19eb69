// Rows of which the threads keep what they have read in registers, and rows so
// long that each sweep reads them again.
#include "GpuGeometry.h"
#include "GpuKernels.h"
#include "Sweeps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <vector>

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace {
// Chunks that a thread reads per round of a loop.
constexpr int64_t kLoopUnroll = 4;

class RowEmitter {
public:
  RowEmitter(GpuTask task, const RowGeometry &geometry, const GpuStage &stage)
      : task(task), shape(task.shape), geometry(geometry),
        function(task, stage), memory(function.b, geometry.width),
        points(function.b, task.group, shape, memory,
               getGpuEvaluation(task, geometry.width)),
        sweeps((points.start(function.memrefs()), points), task.group, shape) {}
  void emit();

private:
  using Accumulators = SmallVector<Value>;

  void placeThread();
  void readOverwritten();
  Scope makeChunk(Scope &outer, Value number, Value inside);
  void keepRow();
  void loopOverRow(unsigned sweep);
  Accumulators loopOverRounds(unsigned sweep, int64_t rounds,
                              Accumulators accumulators);
  Accumulators makeNeutrals(unsigned sweep, int64_t sets);
  void finishSweep(unsigned sweep, Accumulators accumulators);

  GpuTask task;
  const graph::KernelShape &shape;
  RowGeometry geometry;
  GpuFunction function;
  GpuMemory memory;
  PointEvaluator points;
  Sweeps sweeps;
  Scope entry, item;
  Value thread; ///< Of those that share the row.
};
} // namespace

/// Which row, and which of the row's threads, the thread is.
void RowEmitter::placeThread() {
  entry = function.makeEntry();
  entry.chain = {&entry};
  item = entry.makeInner(entry.block);
  item.chain = {&entry, &item};
  thread = function.threadId();
  Value row = function.blockId();
  if (geometry.rowsPerBlock > 1) {
    thread = function.remainder(function.threadId(), geometry.threads);
    row = function.add(function.multiply(row, geometry.rowsPerBlock),
                       function.divide(function.threadId(), geometry.threads));
  }
  if (geometry.numRows % geometry.rowsPerBlock)
    item.predicate = function.isBelow(row, geometry.numRows);
  SmallVector<int64_t> sizes;
  for (unsigned dim = 0; dim < shape.numItemDims; ++dim)
    sizes.push_back(shape.dims[dim].size);
  for (auto [dim, index] :
       llvm::enumerate(divideNumber(points, function.b, row, sizes)))
    item.setIndex(dim, index);
}

/// One thread writes a result of the row; the others must have read the operand
/// whose memory it overwrites. They have when they meet in a reduction.
void RowEmitter::readOverwritten() {
  if (geometry.threads == 1)
    return;
  for (auto [operand, result] : shape.inPlacePairs)
    if (!shape.isSweptResult(result))
      points.get(task.group.getBody().getArgument(operand), item);
}

/// Chunk `number` of the row; `inside`: whether there is one, null: yes.
Scope RowEmitter::makeChunk(Scope &outer, Value number, Value inside) {
  Scope chunk = outer.makeInner(outer.block);
  chunk.isVector = true;
  chunk.predicate = function.both(item.predicate, inside);
  SmallVector<int64_t> sizes;
  SmallVector<unsigned> dims = getReducedDims(shape, /*withAxis=*/true);
  for (unsigned dim : dims)
    sizes.push_back(shape.dims[dim].size);
  sizes.back() /= geometry.width;
  auto indices = divideNumber(points, function.b, number, sizes);
  indices.back() = function.multiply(indices.back(), geometry.width);
  for (auto [dim, index] : llvm::zip(dims, indices))
    chunk.setIndex(dim, index);
  return chunk;
}

RowEmitter::Accumulators RowEmitter::makeNeutrals(unsigned sweep,
                                                  int64_t sets) {
  Accumulators neutrals;
  for (int64_t set = 0; set < sets; ++set)
    for (ReductionOpInterface op : sweeps.getReductions(sweep))
      neutrals.push_back(points.getNeutral(op, /*isVector=*/true));
  return neutrals;
}

/// Folds sets of accumulators, lanes and threads; the item then knows the
/// sweep's reductions.
void RowEmitter::finishSweep(unsigned sweep, Accumulators accumulators) {
  auto reductions = sweeps.getReductions(sweep);
  if (reductions.empty())
    return;
  size_t sets = accumulators.size() / reductions.size();
  SmallVector<Value> partials;
  for (auto [number, op] : llvm::enumerate(reductions)) {
    for (size_t half = sets / 2; half >= 1; half /= 2)
      for (size_t low = 0; low < half; ++low) {
        Value &sum = accumulators[low * reductions.size() + number];
        sum = points.combine(
            op, sum, accumulators[(low + half) * reductions.size() + number]);
      }
    partials.push_back(points.foldLanes(op, accumulators[number]));
  }
  partials =
      foldThreads(function, points, reductions, partials, geometry.threads);
  for (auto [op, total] : llvm::zip(reductions, partials))
    item.values[op->getResult(0)] = points.finish(op, total);
}

void RowEmitter::keepRow() {
  std::vector<Scope> chunks;
  for (int64_t k = 0; k < geometry.chunksPerThread; ++k) {
    int64_t before = k * geometry.threads;
    Value number = k ? function.add(thread, function.index(before)) : thread;
    Value inside;
    if (before + geometry.threads > geometry.chunksPerRow)
      inside = function.isBelow(number, geometry.chunksPerRow);
    chunks.push_back(makeChunk(item, number, inside));
  }
  for (Scope &chunk : chunks)
    chunk.chain.push_back(&chunk);
  for (unsigned sweep = 1; sweep <= sweeps.count(); ++sweep) {
    points.enter(item);
    Accumulators accumulators = makeNeutrals(sweep, 1);
    for (Scope &chunk : chunks)
      sweeps.visitPoint(chunk, sweep, accumulators);
    finishSweep(sweep, accumulators);
  }
}

/// All threads run the same number of rounds.
RowEmitter::Accumulators RowEmitter::loopOverRounds(unsigned sweep,
                                                    int64_t rounds,
                                                    Accumulators accumulators) {
  auto &b = function.b;
  auto loop = scf::ForOp::create(b, function.index(0), function.index(rounds),
                                 function.index(1), accumulators);
  entry.loop = item.loop = loop;
  Scope body = item.makeInner(loop.getBody());
  points.enter(body);
  Value first = function.add(
      function.multiply(loop.getInductionVar(), geometry.threads * kLoopUnroll),
      thread);
  Accumulators next(loop.getRegionIterArgs());
  size_t perSet = next.size() / kLoopUnroll;
  for (int64_t set = 0; set < kLoopUnroll; ++set) {
    points.enter(body);
    Value number =
        set ? function.add(first, function.index(set * geometry.threads))
            : first;
    Scope chunk = makeChunk(body, number, Value());
    chunk.chain.push_back(&chunk);
    sweeps.visitPoint(chunk, sweep,
                      MutableArrayRef<Value>(next).slice(set * perSet, perSet));
  }
  points.enter(body);
  if (!next.empty())
    scf::YieldOp::create(b, next);
  entry.loop = item.loop = nullptr;
  b.setInsertionPointAfter(loop);
  return Accumulators(loop.getResults());
}

void RowEmitter::loopOverRow(unsigned sweep) {
  points.enter(item);
  auto accumulators = makeNeutrals(sweep, kLoopUnroll);
  size_t perSet = accumulators.size() / kLoopUnroll;
  int64_t perRound = geometry.threads * kLoopUnroll;
  int64_t rounds = geometry.chunksPerRow / perRound;
  if (rounds)
    accumulators = loopOverRounds(sweep, rounds, accumulators);
  int64_t set = 0;
  for (int64_t done = rounds * perRound; done < geometry.chunksPerRow;
       done += geometry.threads, ++set) {
    points.enter(item);
    Value number = function.add(thread, function.index(done));
    Value inside;
    if (done + geometry.threads > geometry.chunksPerRow)
      inside = function.isBelow(number, geometry.chunksPerRow);
    Scope chunk = makeChunk(item, number, inside);
    chunk.chain.push_back(&chunk);
    sweeps.visitPoint(
        chunk, sweep,
        MutableArrayRef<Value>(accumulators).slice(set * perSet, perSet));
  }
  finishSweep(sweep, accumulators);
}

void RowEmitter::emit() {
  placeThread();
  readOverwritten();
  if (geometry.loops)
    for (unsigned sweep = 1; sweep <= sweeps.count(); ++sweep)
      loopOverRow(sweep);
  else
    keepRow();
  points.enter(item);
  if (geometry.threads > 1)
    item.writer = function.both(item.predicate, function.isEqual(thread, 0));
  sweeps.storeResults(item, 0);
  function.finish();
}

FailureOr<GpuKernel> emit::emitGpuRows(GpuTask task) {
  RowGeometry geometry =
      chooseRowGeometry(task.group, task.shape, *task.options.gpu);
  auto stage = makeGpuStage(task, geometry.grid(), geometry.block());
  if (failed(stage))
    return failure();
  RowEmitter(task, geometry, *stage).emit();
  return GpuKernel{{*stage}};
}
