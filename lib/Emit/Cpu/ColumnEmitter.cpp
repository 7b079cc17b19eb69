// Column items: a segment of the axis, all indices of the reduced dims. The
// accumulators of the segment stay in registers while its rows go by.
#include "KernelEmitter.h"
#include <vector>

using namespace mpc;
using namespace mpc::emit;

void KernelEmitter::emitColumnItem(Scope &item, Value base, int64_t size) {
  int64_t lanes = points.lanes();
  std::vector<Scope> chunks;
  for (int64_t offset = 0; offset < size; offset += lanes)
    chunks.push_back(makeChunk(item, base, offset, size - offset));
  for (unsigned sweep = 1; sweep <= plan.count(); ++sweep)
    sweepColumn(item, chunks, sweep);
  for (Scope &chunk : chunks)
    sweeps.storeResults(chunk, 0);
}

void KernelEmitter::sweepColumn(Scope &item, MutableArrayRef<Scope> chunks,
                                unsigned sweep) {
  auto reductions = plan.getReductions(sweep);
  Accumulators accumulators;
  for (size_t chunk = 0; chunk < chunks.size(); ++chunk)
    accumulators.append(points.getNeutrals(reductions, /*isVector=*/true));
  size_t perChunk = accumulators.size() / chunks.size();

  auto visitRow = [&](Scope &row, Accumulators own) {
    for (auto [number, chunk] : llvm::enumerate(chunks)) {
      Scope point = row.makeInner(row.block);
      point.isVector = true;
      point.mask = chunk.mask;
      point.liveLanes = chunk.liveLanes;
      point.setIndex(shape.axis, chunk.index[shape.axis]);
      // What does not change from row to row belongs to the chunk.
      point.beside = &chunk;
      sweeps.visitPoint(
          point, sweep,
          MutableArrayRef<Value>(own).slice(number * perChunk, perChunk));
    }
    return own;
  };
  // Values per chunk that the rows need must stand before the loop: whatever
  // the item scope appends while the loop is filled does, and so do these.
  auto fill = [&](Scope &row, Accumulators own) {
    for (Scope &chunk : chunks)
      chunk.loop = item.loop;
    return visitRow(row, std::move(own));
  };
  accumulators = loop(getReducedDims(shape, /*withAxis=*/false), /*terms=*/1,
                      reductions, item, accumulators, fill);
  for (Scope &chunk : chunks)
    chunk.loop = nullptr;
  for (auto [number, chunk] : llvm::enumerate(chunks))
    points.setResults(
        reductions, ValueRange(accumulators).slice(number * perChunk, perChunk),
        chunk);
}
