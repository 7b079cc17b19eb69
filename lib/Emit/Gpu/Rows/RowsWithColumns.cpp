// Rows beside which columns are folded in parts: a block takes the rows of a
// part in turn, one or several at a time, and each thread keeps the columns of
// its chunks in registers while they go by. Threads that share a column fold
// what they have at the end, in the order of the rows that they began with.
#include "../Kernels.h"
#include "RowEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

/// The results that are folds in parts, in the order of their accumulators.
SmallVector<unsigned> GpuRowEmitter::getPartials() {
  SmallVector<unsigned> numbers;
  for (unsigned sweep = 1; sweep <= plan.count(); ++sweep)
    llvm::append_range(numbers, plan.getPartials(sweep));
  return numbers;
}

void GpuRowEmitter::addToColumns(Scope &chunk, unsigned sweep,
                                 MutableArrayRef<Value> columns) {
  for (auto [number, column] : llvm::zip(getPartials(), columns))
    if (llvm::is_contained(plan.getPartials(sweep), number)) {
      ReductionOpInterface op = points.getPartial(number);
      points.combine(op, column, points.getFolded(op, chunk));
    }
}

void GpuRowEmitter::emitWithColumns() {
  auto &f = function;
  thread = f.remainder(f.threadId(), geometry.threads);
  Value group = f.divide(f.threadId(), geometry.threads);
  entry = f.makeEntry();
  entry.part = f.blockId();
  Value begin = f.multiply(f.blockId(), shape.rowsPerPart);
  Value end = arith::MinUIOp::create(
      f.b, f.add(begin, f.index(shape.rowsPerPart)), f.index(geometry.numRows));
  Value first = f.add(begin, group);
  Accumulators columns;
  for (int64_t chunk = 0; chunk < geometry.chunksPerThread; ++chunk)
    for (unsigned number : getPartials())
      columns.append(
          points.getNeutrals(points.getPartial(number), /*isVector=*/true));

  int64_t rounds = llvm::divideCeil(shape.rowsPerPart, geometry.rowsPerBlock);
  auto rows =
      scf::ForOp::create(f.b, f.index(0), f.index(rounds), f.index(1), columns);
  entry.loop = rows;
  item = entry.makeInner(rows.getBody());
  points.enter(item);
  Value row =
      f.add(first, f.multiply(rows.getInductionVar(), geometry.rowsPerBlock));
  if (geometry.numRows % shape.rowsPerPart ||
      shape.rowsPerPart % geometry.rowsPerBlock)
    item.predicate =
        arith::CmpIOp::create(f.b, arith::CmpIPredicate::ult, row, end);
  enterRow(row);
  readOverwritten();
  columns.assign(rows.getRegionIterArgs().begin(),
                 rows.getRegionIterArgs().end());
  keepRow(columns);
  storeItem();
  // The next row's sums meet in the same memory. Where a row has several
  // barriers, each of them lets what others have read be overwritten.
  unsigned barriers = 0;
  for (unsigned sweep = 1; sweep <= plan.count(); ++sweep)
    barriers += !plan.getReductions(sweep).empty();
  if (geometry.threads > kWarp && barriers == 1)
    f.synchronize();
  scf::YieldOp::create(f.b, columns);
  f.b.setInsertionPointAfter(rows);
  entry.loop = nullptr;
  storeColumns(Accumulators(rows.getResults()));
  f.finish();
}

/// Stores the part, of which `columns` are what each thread has folded.
void GpuRowEmitter::storeColumns(ArrayRef<Value> columns) {
  item = entry.makeInner(entry.block);
  SmallVector<Scope> chunks = makeRow(item);
  SmallVector<unsigned> partials = getPartials();
  for (auto [place, number] : llvm::enumerate(partials)) {
    Accumulators own;
    for (size_t chunk = 0; chunk < chunks.size(); ++chunk)
      own.push_back(columns[chunk * partials.size() + place]);
    if (geometry.rowsPerBlock > 1)
      shareColumn(number, own, chunks);
    else
      for (auto [chunk, total] : llvm::zip(chunks, own))
        points.storePart(number, total, chunk);
  }
}

/// Folds `own`, the columns of the thread's `chunks`, with those of the threads
/// that have taken other rows, and stores them.
void GpuRowEmitter::shareColumn(unsigned number, ArrayRef<Value> own,
                                MutableArrayRef<Scope> chunks) {
  auto &f = function;
  Type element = mlir::getElementTypeOrSelf(own.front());
  Value &shared = sharedColumns[element];
  if (shared)
    f.synchronize(); // Others may still read what they left there.
  else
    shared = f.allocateShared(geometry.rowsPerBlock * geometry.chunksPerRow *
                                  geometry.width,
                              element);
  Scope everywhere = f.makeEntry();
  everywhere.isVector = true;
  Value group = f.divide(f.threadId(), geometry.threads);
  auto getPlace = [&](Value row, Value chunk) {
    return f.multiply(f.add(f.multiply(row, geometry.chunksPerRow), chunk),
                      geometry.width);
  };
  for (auto [count, chunk] : llvm::enumerate(chunks)) {
    Value place = f.add(thread, f.index(int64_t(count) * geometry.threads));
    everywhere.predicate = chunk.predicate;
    memory.write(shared, getPlace(group, place), 1, own[count], everywhere);
  }
  f.synchronize();
  ReductionOpInterface op = points.getPartial(number);
  for (int64_t done = 0; done < geometry.chunksPerRow;
       done += geometry.block()) {
    Value place = f.add(f.threadId(), f.index(done));
    Value inside;
    if (done + geometry.block() > geometry.chunksPerRow)
      inside = f.isBelow(place, geometry.chunksPerRow);
    Scope chunk = makeChunk(item, place, inside);
    everywhere.predicate = inside;
    Accumulators total = {
        memory.read(shared, getPlace(f.index(0), place), 1, everywhere)};
    for (int64_t row = 1; row < geometry.rowsPerBlock; ++row) {
      Value more =
          memory.read(shared, getPlace(f.index(row), place), 1, everywhere);
      points.combine(op, total, more);
    }
    points.storePart(number, total.front(), chunk);
  }
}

FailureOr<GpuKernel> emit::emitGpuRowsWithColumns(GpuTask task) {
  if (auto tiles = chooseTiles(task)) {
    auto stage = makeGpuStage(task, task.shape.extent, tiles->rows.block());
    if (failed(stage))
      return failure();
    GpuRowEmitter rows(task, tiles->rows, *stage);
    rows.emitTiles(*tiles);
    stage->sharedBytes = rows.getSharedBytes();
    return GpuKernel{{*stage}};
  }
  RowGeometry geometry = chooseRowsWithColumns(task.body, task.shape);
  auto stage = makeGpuStage(task, task.shape.extent, geometry.block());
  if (failed(stage))
    return failure();
  GpuRowEmitter(task, geometry, *stage).emitWithColumns();
  return GpuKernel{{*stage}};
}
