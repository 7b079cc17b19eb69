#include "RowEmitter.h"
#include "../Kernels.h"
#include <bit>

using namespace mpc;
using namespace mpc::emit;

GpuRowEmitter::GpuRowEmitter(GpuTask task, const RowGeometry &geometry,
                             const GpuStage &stage, uint64_t workspaceBytes)
    : task(task), shape(task.shape), geometry(geometry),
      function(task, stage, workspaceBytes), memory(function.b, geometry.width),
      points(function.b, task.body, shape, memory,
             getGpuEvaluation(task, geometry.width)),
      plan(task.body, shape), sweeps(points, plan) {
  points.start(function.memrefs());
  if (geometry.loops && !task.options.strictRounding)
    onlineSums = findOnlineSums(task.body, shape);
  if (geometry.loops && geometry.parts == 1)
    keepCopies();
}

void GpuRowEmitter::placeRow(Value row) {
  entry = function.makeEntry();
  item = entry.makeInner(entry.block);
  if (geometry.numRows % geometry.rowsPerBlock)
    item.predicate = function.isBelow(row, geometry.numRows);
  enterRow(row);
}

/// Gives `scope` the indices of `row`.
void GpuRowEmitter::setRow(Scope &scope, Value row) {
  SmallVector<int64_t> sizes;
  for (unsigned dim = 0; dim < shape.numItemDims; ++dim)
    sizes.push_back(shape.dims[dim].size);
  for (auto [dim, index] :
       llvm::enumerate(divideNumber(points, function.b, row, sizes)))
    scope.setIndex(dim, index);
}

/// One thread writes a result of the row; the others must have read the operand
/// whose memory it overwrites, and so must threads without a row, which read
/// scalars, too. They have when they meet at a barrier; shuffles order no
/// memory.
void GpuRowEmitter::readOverwritten() {
  bool any = false;
  for (auto [operand, result] : shape.inPlacePairs)
    if (!shape.isSweptResult(result)) {
      points.get(task.body.getArgument(operand), item);
      any = true;
    }
  bool foldsBehindBarrier =
      geometry.threads > kWarp && !plan.getReductions(1).empty();
  if (any && geometry.block() > 1 && !foldsBehindBarrier)
    function.synchronize();
}

Scope GpuRowEmitter::makeChunk(Scope &outer, Value number, Value inside) {
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

/// The thread's chunks of the row.
SmallVector<Scope> GpuRowEmitter::makeRow(Scope &outer) {
  SmallVector<Scope> chunks;
  for (int64_t k = 0; k < geometry.chunksPerThread; ++k) {
    int64_t before = k * geometry.threads;
    Value number = k ? function.add(thread, function.index(before)) : thread;
    Value inside;
    if (before + geometry.threads > geometry.chunksPerRow)
      inside = function.isBelow(number, geometry.chunksPerRow);
    chunks.push_back(makeChunk(outer, number, inside));
  }
  return chunks;
}

/// Loads what differs between rows and the first sweep does not need. Its
/// latency would show again behind the reductions: neither these nor stores,
/// which may be to the same memory, let the compiler move a load up.
void GpuRowEmitter::loadEarly(MutableArrayRef<Scope> chunks) {
  for (Value operand : task.body.getArguments())
    if (shape.isSwept(operand) &&
        (shape.varies.lookup(operand) & shape.itemMask()) &&
        std::countr_zero(shape.sweeps.lookup(operand)) > 1)
      for (Scope &chunk : chunks)
        points.loadEarly(operand, chunk);
}

void GpuRowEmitter::keepRow(MutableArrayRef<Value> columns) {
  SmallVector<Scope> chunks = makeRow(item);
  loadEarly(chunks);
  size_t perChunk = columns.size() / chunks.size();
  for (unsigned sweep = 1; sweep <= plan.count(); ++sweep) {
    points.enter(item);
    auto reductions = plan.getReductions(sweep);
    Accumulators partials = points.getNeutrals(reductions, /*isVector=*/true);
    for (auto [number, chunk] : llvm::enumerate(chunks)) {
      sweeps.foldPoint(chunk, sweep, partials);
      addToColumns(chunk, sweep, columns.slice(number * perChunk, perChunk));
      sweeps.storeResults(chunk, sweep);
    }
    points.enter(item);
    points.foldLanes(reductions, partials);
    partials =
        foldThreads(function, points, reductions, partials, geometry.threads);
    points.setResults(reductions, partials, item);
  }
}

/// Stores what there is one of per row, by one of its threads.
void GpuRowEmitter::storeItem() {
  points.enter(item);
  if (geometry.threads > 1)
    item.writer = function.both(item.predicate, function.isEqual(thread, 0));
  sweeps.storeResults(item, 0);
}

void GpuRowEmitter::emit() {
  thread = function.threadId();
  Value row = function.blockId();
  if (geometry.rowsPerBlock > 1) {
    thread = function.remainder(function.threadId(), geometry.threads);
    row = function.add(function.multiply(row, geometry.rowsPerBlock),
                       function.divide(function.threadId(), geometry.threads));
  }
  placeRow(row);
  readOverwritten();
  if (geometry.loops)
    for (unsigned sweep = 1; sweep <= plan.count(); ++sweep)
      loopOverRow(sweep);
  else
    keepRow();
  storeItem();
  function.finish();
}

FailureOr<GpuKernel> emit::emitGpuRows(GpuTask task) {
  RowGeometry geometry =
      chooseRowGeometry(task.body, task.shape, *task.options.gpu);
  if (task.shape.rowsPerPart)
    return emitGpuRowsWithColumns(task);
  if (geometry.parts > 1)
    return emitGpuRowParts(task, geometry);
  auto stage = makeGpuStage(task, geometry.grid(), geometry.block());
  if (failed(stage))
    return failure();
  GpuRowEmitter rows(task, geometry, *stage);
  rows.emit();
  stage->sharedBytes = rows.getSharedBytes();
  return GpuKernel{{*stage}};
}
