// Rows beside which columns are folded in parts, a tile at a time. A tile is a
// few rows in shared memory:
//
//   for each tile of the part
//     wait until it is there, and begin to copy the next one
//     fold each of its rows, by a warp or a few      -> totals of the rows
//     for each chunk of columns, by one thread, and each row of the tile
//       compute and store the results, add to the columns
//
// So warps wait for each other once per tile and not per row, no thread keeps
// more than its columns, and memory is never idle.
#include "../Kernels.h"
#include "RowEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::emit;
using mlir::getElementTypeOrSelf;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

/// Bytes of a row of `value`.
static int64_t countRowBytes(const graph::KernelShape &shape, Value value) {
  return shape.dims[shape.axis].size *
         getElementBytes(getElementTypeOrSelf(value));
}

/// Places two tiles of each operand, one after the other, and the totals.
void GpuRowEmitter::placeTiles(const TileGeometry &tiles) {
  for (Value value : tiles.operands) {
    tileOffsets.push_back(sharedBytes);
    sharedBytes = llvm::alignTo(sharedBytes + 2 * geometry.rowsPerBlock *
                                                  countRowBytes(shape, value),
                                256);
  }
  for (Value total : tiles.totals)
    tileTotals.push_back(function.allocateShared(
        geometry.rowsPerBlock, getComputeType(getElementTypeOrSelf(total))));
  points.setCopiesFilled();
}

/// Row `slot` of the two tiles, of an operand.
Value GpuRowEmitter::viewTileRow(const TileGeometry &tiles, unsigned operand,
                                 Value slot) {
  auto &f = function;
  Value value = tiles.operands[operand];
  Value offset = f.add(f.multiply(slot, countRowBytes(shape, value)),
                       f.index(tileOffsets[operand]));
  offset = arith::IndexCastUIOp::create(f.b, f.b.getIndexType(), offset);
  return f.viewDynamicShared(offset, shape.dims[shape.axis].size,
                             getElementTypeOrSelf(value));
}

/// Begins to copy the row that `scope` has to `slot`.
void GpuRowEmitter::copyTileRow(const TileGeometry &tiles, Scope &scope,
                                Value slot) {
  auto &f = function;
  for (auto [number, value] : llvm::enumerate(tiles.operands)) {
    int64_t elements =
        tiles.copyBytes[number] / getElementBytes(getElementTypeOrSelf(value));
    int64_t copies = shape.dims[shape.axis].size / elements;
    Value row = viewTileRow(tiles, number, slot);
    for (int64_t done = 0; done < copies; done += geometry.threads) {
      Value place = f.add(thread, f.index(done));
      auto copy = [&](Block *block) {
        Scope chunk = scope.makeInner(block);
        chunk.setIndex(shape.axis, f.multiply(place, elements));
        auto [memref, address] = points.locate(value, chunk);
        f.copyLater(memref, address, row, chunk.index[shape.axis], elements);
      };
      if (done + geometry.threads <= copies) {
        copy(scope.block);
        continue;
      }
      auto guarded = scf::IfOp::create(f.b, f.isBelow(place, copies),
                                       /*withElseRegion=*/false);
      mlir::OpBuilder::InsertionGuard guard(f.b);
      f.b.setInsertionPoint(guarded.thenYield());
      copy(f.b.getInsertionBlock());
    }
  }
}

/// Folds the item's row, which lies in `slot`.
void GpuRowEmitter::foldTileRow(const TileGeometry &tiles, Value slot) {
  points.enter(item);
  for (auto [number, value] : llvm::enumerate(tiles.operands))
    points.keepCopy(value, viewTileRow(tiles, number, slot));
  for (unsigned sweep = 1; sweep <= plan.count(); ++sweep) {
    auto reductions = plan.getReductions(sweep);
    if (reductions.empty())
      continue;
    points.enter(item);
    Accumulators partials =
        visitRow({llvm::to_vector(reductions), {}},
                 [&](MutableArrayRef<Scope> chunks, Accumulators &all) {
                   foldChunks(chunks, sweep, reductions, all);
                 });
    points.foldLanes(reductions, partials);
    partials =
        foldThreads(function, points, reductions, partials, geometry.threads);
    points.setResults(reductions, partials, item);
  }
}

/// Leaves the item's totals for those who have its columns.
void GpuRowEmitter::writeTotals(const TileGeometry &tiles) {
  points.enter(item);
  Scope writer = item;
  writer.writer = function.isEqual(thread, 0);
  Value group = function.divide(function.threadId(), geometry.threads);
  SmallVector<Value> values;
  for (Value total : tiles.totals)
    values.push_back(points.get(total, item));
  for (auto [value, memref] : llvm::zip_equal(values, tileTotals))
    memory.write(memref, group, /*stride=*/0, value, writer);
}

/// Computes and stores what the rows of a tile have in the columns of a chunk,
/// and adds it to `totals`.
void GpuRowEmitter::addTileToColumn(const TileGeometry &tiles, Scope &column,
                                    MutableArrayRef<Value> totals,
                                    const TileRows &rows) {
  auto &f = function;
  auto loop = scf::ForOp::create(f.b, f.index(0), rows.count, f.index(1),
                                 Accumulators(totals));
  mlir::OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToEnd(loop.getBody());
  Value number = loop.getInductionVar();
  Scope row = entry.makeInner(loop.getBody());
  setRow(row, f.add(rows.first, number));
  for (auto [total, memref] : llvm::zip_equal(tiles.totals, tileTotals))
    row.values[total] = memory.read(memref, number, /*stride=*/0, row);
  Value slot = f.add(rows.slot, number);
  for (auto [operand, value] : llvm::enumerate(tiles.operands))
    points.keepCopy(value, viewTileRow(tiles, operand, slot));
  Scope point = column.makeInner(loop.getBody());
  point.isVector = true;
  point.predicate = nullptr; // Asked for around the loop.
  point.beside = &row;
  for (unsigned dim = 0; dim < shape.numItemDims; ++dim)
    point.setIndex(dim, row.index[dim]);
  Accumulators sums(loop.getRegionIterArgs());
  for (unsigned sweep = 1; sweep <= plan.count(); ++sweep) {
    point.sweep = sweep;
    addToColumns(point, sweep, sums);
    sweeps.storeResults(point, sweep);
  }
  scf::YieldOp::create(f.b, sums);
  llvm::copy(loop.getResults(), totals.begin());
}

/// The rows of the block's part.
void GpuRowEmitter::placePart() {
  auto &f = function;
  int64_t perTile = geometry.rowsPerBlock;
  thread = f.remainder(f.threadId(), geometry.threads);
  part.group = f.divide(f.threadId(), geometry.threads);
  entry = f.makeEntry();
  entry.part = f.blockId();
  part.begin = f.multiply(f.blockId(), shape.rowsPerPart);
  part.end =
      arith::MinUIOp::create(f.b, f.add(part.begin, f.index(shape.rowsPerPart)),
                             f.index(geometry.numRows));
  part.isEven = geometry.numRows % shape.rowsPerPart == 0 &&
                shape.rowsPerPart % perTile == 0;
  part.numTiles = f.index(shape.rowsPerPart / perTile);
  if (part.isEven)
    return;
  Value length = arith::SubIOp::create(f.b, part.end, part.begin);
  part.numTiles = f.divide(f.add(length, f.index(perTile - 1)), perTile);
}

/// The thread's row of the tile that begins at row `first`. Warps without a row
/// repeat the last one.
Value GpuRowEmitter::getTileRow(Value first) {
  auto &f = function;
  Value row = f.add(first, part.group);
  if (part.isEven)
    return row;
  Value last = arith::SubIOp::create(f.b, part.end, f.index(1));
  return arith::MinUIOp::create(f.b, row, last);
}

/// Begins to copy the tile behind number `tile`, if there is one, to where that
/// one does not lie.
void GpuRowEmitter::copyNextTile(const TileGeometry &tiles, Value tile,
                                 Value firstSlot) {
  auto &f = function;
  int64_t perTile = geometry.rowsPerBlock;
  Value next = f.add(tile, f.index(1));
  Value exists = arith::CmpIOp::create(f.b, arith::CmpIPredicate::ult, next,
                                       part.numTiles);
  auto more = scf::IfOp::create(f.b, exists, /*withElseRegion=*/false);
  mlir::OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPoint(more.thenYield());
  Scope later = entry.makeInner(f.b.getInsertionBlock());
  setRow(later, getTileRow(f.add(part.begin, f.multiply(next, perTile))));
  Value slot = arith::SubIOp::create(f.b, f.index(perTile), firstSlot);
  copyTileRow(tiles, later, f.add(slot, part.group));
}

/// Folds the rows of a tile, from `rows.first` on, leaves their totals to all
/// threads and stores what there is one of per row.
void GpuRowEmitter::foldTile(const TileGeometry &tiles, const TileRows &rows) {
  auto &f = function;
  setRow(item, getTileRow(rows.first));
  for (auto [operand, result] : shape.inPlacePairs)
    if (!shape.isSweptResult(result))
      points.get(task.body.getArgument(operand), item);
  foldTileRow(tiles, f.add(rows.slot, part.group));
  writeTotals(tiles);
  f.synchronize();
  if (!part.isEven)
    item.predicate =
        arith::CmpIOp::create(f.b, arith::CmpIPredicate::ult,
                              f.add(rows.first, part.group), part.end);
  storeItem();
}

/// The thread's chunks of columns.
SmallVector<Scope> GpuRowEmitter::makeColumns(const TileGeometry &tiles) {
  auto &f = function;
  SmallVector<Scope> columns;
  for (int64_t number = 0; number < tiles.columnChunks(); ++number) {
    int64_t before = number * geometry.block();
    Value place = f.add(f.threadId(), f.index(before));
    Value inside;
    if (before + geometry.block() > geometry.chunksPerRow)
      inside = f.isBelow(place, geometry.chunksPerRow);
    columns.push_back(makeChunk(entry, place, inside));
  }
  return columns;
}

/// Adds the rows of a tile to `own`, what `column` has come to. Threads without
/// the chunk pass by.
void GpuRowEmitter::addTile(const TileGeometry &tiles, Scope &column,
                            MutableArrayRef<Value> own, const TileRows &rows) {
  auto &f = function;
  if (!column.predicate)
    return addTileToColumn(tiles, column, own, rows);
  auto guarded =
      scf::IfOp::create(f.b, ValueRange(Accumulators(own)).getTypes(),
                        column.predicate, /*withElseRegion=*/true);
  f.b.setInsertionPointToEnd(guarded.elseBlock());
  scf::YieldOp::create(f.b, Accumulators(own));
  f.b.setInsertionPointToEnd(guarded.thenBlock());
  addTileToColumn(tiles, column, own, rows);
  scf::YieldOp::create(f.b, Accumulators(own));
  f.b.setInsertionPointAfter(guarded);
  llvm::copy(guarded.getResults(), own.begin());
}

void GpuRowEmitter::emitTiles(const TileGeometry &tiles) {
  auto &f = function;
  int64_t perTile = geometry.rowsPerBlock;
  SmallVector<unsigned> partials = getPartials();
  placeTiles(tiles);
  placePart();
  Scope first = entry.makeInner(entry.block);
  setRow(first, getTileRow(part.begin));
  copyTileRow(tiles, first, part.group);
  SmallVector<Scope> columns = makeColumns(tiles);
  Accumulators totals;
  for (size_t number = 0; number < columns.size(); ++number)
    for (unsigned partial : partials)
      totals.append(
          points.getNeutrals(points.getPartial(partial), /*isVector=*/true));

  auto loop =
      scf::ForOp::create(f.b, f.index(0), part.numTiles, f.index(1), totals);
  entry.loop = loop;
  for (Scope &column : columns)
    column.loop = loop;
  totals.assign(loop.getRegionIterArgs().begin(),
                loop.getRegionIterArgs().end());
  f.b.setInsertionPointToEnd(loop.getBody());
  f.awaitCopies();
  f.synchronize();
  Value tile = loop.getInductionVar();
  TileRows rows{f.add(part.begin, f.multiply(tile, perTile)),
                f.multiply(f.remainder(tile, 2), perTile), f.index(perTile)};
  copyNextTile(tiles, tile, rows.slot);
  item = entry.makeInner(loop.getBody());
  foldTile(tiles, rows);
  if (!part.isEven)
    rows.count = arith::MinUIOp::create(
        f.b, rows.count, arith::SubIOp::create(f.b, part.end, rows.first));
  for (auto [number, column] : llvm::enumerate(columns))
    addTile(tiles, column,
            MutableArrayRef(totals).slice(number * partials.size(),
                                          partials.size()),
            rows);
  scf::YieldOp::create(f.b, totals);
  f.b.setInsertionPointAfter(loop);
  entry.loop = nullptr;
  for (auto [number, column] : llvm::enumerate(columns)) {
    column.loop = nullptr;
    for (auto [place, partial] : llvm::enumerate(partials))
      points.storePart(
          partial, loop.getResult(number * partials.size() + place), column);
  }
  f.finish();
}
