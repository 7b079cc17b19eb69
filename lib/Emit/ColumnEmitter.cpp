// Column items: a segment of the axis, all indices of the reduced dims. The
// accumulators of the segment stay in registers while its rows go by.
#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <vector>

using namespace mpc;
using namespace mpc::emit;

// Rows of a block; the fewest that make one of several.
constexpr int64_t kBlockRows = 64, kMinBlockRows = 8;

void KernelEmitter::emitColumnItem(Scope &item, Value base, int64_t size) {
  int64_t lanes = points.lanes();
  std::vector<Scope> chunks;
  for (int64_t offset = 0; offset < size; offset += lanes)
    chunks.push_back(makeChunk(item, base, offset, size - offset));
  for (Scope &chunk : chunks)
    chunk.chain.push_back(&chunk);
  for (unsigned sweep = 1; sweep <= sweeps.count(); ++sweep)
    sweepColumn(item, chunks, sweep);
  for (Scope &chunk : chunks)
    sweeps.storeResults(chunk, 0);
}

KernelEmitter::Accumulators KernelEmitter::loopInBlocks(
    unsigned dim, Scope &outer, Accumulators accumulators,
    ArrayRef<ReductionOpInterface> reductions, Filler fill) {
  Value size = points.index(shape.dims[dim].size);
  Value block = points.index(kBlockRows);
  auto blocks =
      mlir::scf::ForOp::create(b, points.index(0), size, block, accumulators);
  outer.loop = blocks;
  b.setInsertionPointToStart(blocks.getBody());
  Value first = blocks.getInductionVar();
  Value end = mlir::arith::MinUIOp::create(
      b, mlir::arith::AddIOp::create(b, first, block), size);
  Accumulators fresh;
  for (size_t i = 0; i < accumulators.size(); ++i)
    fresh.push_back(points.getNeutral(reductions[i % reductions.size()],
                                      /*isVector=*/true));
  auto rows = mlir::scf::ForOp::create(b, first, end, points.index(1), fresh);
  Scope row = outer.makeInner(rows.getBody());
  row.chain.push_back(&row);
  row.setIndex(dim, rows.getInductionVar());
  points.enter(row);
  Accumulators next = fill(row, Accumulators(rows.getRegionIterArgs()));
  points.enter(row);
  mlir::scf::YieldOp::create(b, next);

  b.setInsertionPointAfter(rows);
  Accumulators sums;
  for (auto [i, sum] : llvm::enumerate(blocks.getRegionIterArgs()))
    sums.push_back(points.combine(reductions[i % reductions.size()], sum,
                                  rows.getResult(i)));
  mlir::scf::YieldOp::create(b, sums);
  outer.loop = nullptr;
  b.setInsertionPointAfter(blocks);
  return Accumulators(blocks.getResults());
}

void KernelEmitter::sweepColumn(Scope &item, MutableArrayRef<Scope> chunks,
                                unsigned sweep) {
  auto reductions = sweeps.getReductions(sweep);
  Accumulators accumulators;
  for (size_t chunk = 0; chunk < chunks.size(); ++chunk)
    for (ReductionOpInterface op : reductions)
      accumulators.push_back(points.getNeutral(op, /*isVector=*/true));

  auto visitRow = [&](Scope &row, Accumulators own) {
    for (auto [number, chunk] : llvm::enumerate(chunks)) {
      Scope point = row.makeInner(row.block);
      point.isVector = true;
      point.mask = chunk.mask;
      point.liveLanes = chunk.liveLanes;
      point.setIndex(shape.axis, chunk.index[shape.axis]);
      // What does not change from row to row belongs to the chunk.
      point.chain.insert(point.chain.begin() + 2, &chunk);
      point.chain.push_back(&point);
      sweeps.visitPoint(point, sweep,
                        MutableArrayRef<Value>(own).slice(
                            number * reductions.size(), reductions.size()));
    }
    return own;
  };
  // Values per chunk that the rows need must stand before the loop: whatever
  // the item scope appends while the loop is filled does, and so do these.
  auto fill = [&](Scope &row, Accumulators own) {
    for (Scope &chunk : chunks)
      chunk.loop = item.loop;
    return visitRow(row, own);
  };
  SmallVector<unsigned> dims = getReducedDims(shape, /*withAxis=*/false);
  unsigned last = dims.pop_back_val();
  accumulators =
      loop(dims, item, accumulators, [&](Scope &outer, Accumulators own) {
        int64_t shortest = dims.empty() ? kBlockRows + 1 : kMinBlockRows;
        if (reductions.empty() || shape.dims[last].size < shortest)
          return loop(last, outer, own, fill);
        return loopInBlocks(last, outer, own, reductions, fill);
      });
  for (Scope &chunk : chunks)
    chunk.loop = nullptr;
  for (auto [number, chunk] : llvm::enumerate(chunks))
    for (auto [nth, op] : llvm::enumerate(reductions))
      chunk.values[op->getResult(0)] =
          points.finish(op, accumulators[number * reductions.size() + nth]);
}
