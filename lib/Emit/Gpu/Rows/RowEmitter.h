// A row kernel on a GPU: the threads of a row fold its chunks, meet in each
// reduction, and store. Short rows stay in registers, long ones in shared
// memory while they fit; longer ones are read again by each sweep, or shared
// out among blocks.
#ifndef MPC_EMIT_GPU_ROWS_ROWEMITTER_H
#define MPC_EMIT_GPU_ROWS_ROWEMITTER_H

#include "../../Common/Sweeps.h"
#include "../Function.h"
#include "../Geometry.h"
#include "../Memory.h"
#include "OnlineSum.h"
#include "TileGeometry.h"

namespace mpc::emit {

class GpuRowEmitter {
public:
  GpuRowEmitter(GpuTask task, const RowGeometry &geometry,
                const GpuStage &stage, uint64_t workspaceBytes = 0);
  /// Whole rows.
  void emit();
  /// Of dynamic shared memory, which holds what long rows read twice.
  uint32_t getSharedBytes() const { return sharedBytes; }
  /// Rows of a part, one after the other, and what is folded of them in parts.
  void emitWithColumns();
  /// The same, a tile of rows at a time.
  void emitTiles(const TileGeometry &tiles);
  /// The first stage of rows in parts: sums of each part into the workspace.
  void emitParts();
  /// The second stage: sums of the parts, and what there is one of per row.
  void emitTotals();

private:
  using Accumulators = SmallVector<Value>;
  /// What a sweep folds, in the order of its accumulators: those of each
  /// reduction, then two of each online sum, which are its state.
  struct RowSums {
    SmallVector<ReductionOpInterface> reductions;
    SmallVector<OnlineSum> online;
  };
  /// Code at some chunks of the row that updates `accumulators`.
  using Visitor = function_ref<void(MutableArrayRef<Scope> chunks,
                                    Accumulators &accumulators)>;

  /// The scopes of the kernel and of `row`.
  void placeRow(Value row);
  void enterRow(Value row) { setRow(item, row); }
  void setRow(Scope &scope, Value row);
  void storeItem();
  void readOverwritten();
  /// Chunk `number` of the row; `inside`: whether there is one, null: yes.
  Scope makeChunk(Scope &outer, Value number, Value inside);

  // Rows in registers.
  SmallVector<Scope> makeRow(Scope &outer);
  void loadEarly(MutableArrayRef<Scope> chunks);
  void keepRow(MutableArrayRef<Value> columns = {});

  // Columns of folds in parts, beside the rows: an accumulator for each of the
  // thread's chunks and each fold.
  SmallVector<unsigned> getPartials();
  void addToColumns(Scope &chunk, unsigned sweep,
                    MutableArrayRef<Value> columns);
  void storeColumns(ArrayRef<Value> columns);
  void shareColumn(unsigned number, ArrayRef<Value> own,
                   MutableArrayRef<Scope> chunks);

  // Tiles of rows in shared memory (Tiles.cpp).
  struct TileRows {
    Value first, slot; ///< Of the first row: its number, and where it lies.
    Value count;
  };
  /// Of a block.
  struct TilePart {
    Value group; ///< The thread's row of a tile.
    Value begin, end, numTiles;
    bool isEven = true; ///< All tiles have all rows.
  };
  void placePart();
  Value getTileRow(Value first);
  void copyNextTile(const TileGeometry &tiles, Value tile, Value firstSlot);
  void foldTile(const TileGeometry &tiles, const TileRows &rows);
  SmallVector<Scope> makeColumns(const TileGeometry &tiles);
  void addTile(const TileGeometry &tiles, Scope &column,
               MutableArrayRef<Value> own, const TileRows &rows);
  Value viewTileRow(const TileGeometry &tiles, unsigned operand, Value slot);
  void placeTiles(const TileGeometry &tiles);
  void copyTileRow(const TileGeometry &tiles, Scope &scope, Value slot);
  void foldTileRow(const TileGeometry &tiles, Value slot);
  void writeTotals(const TileGeometry &tiles);
  void addTileToColumn(const TileGeometry &tiles, Scope &column,
                       MutableArrayRef<Value> totals, const TileRows &rows);

  // Rows that each sweep passes by.
  void loopOverRow(unsigned sweep);
  bool isIdle(unsigned sweep);
  bool isReadTwice(Value value);
  void keepCopies();
  Accumulators foldPairs(ReductionOpInterface op,
                         SmallVector<Accumulators> values);
  /// Folds what `reductions` ask for at some chunks; stores what `sweep` does.
  void visitChunks(MutableArrayRef<Scope> chunks, unsigned sweep,
                   ArrayRef<ReductionOpInterface> reductions,
                   MutableArrayRef<Value> accumulators);
  void foldChunks(MutableArrayRef<Scope> chunks, unsigned sweep,
                  ArrayRef<ReductionOpInterface> reductions,
                  MutableArrayRef<Value> accumulators);
  /// Visits all chunks of the thread, a few at a time.
  Accumulators visitRow(const RowSums &sums, Visitor visit);
  /// `rounds` rounds from chunk `first` on; `isGuarded`: the row may end.
  Accumulators visitRounds(Value first, int64_t rounds, bool isGuarded,
                           const RowSums &sums, Visitor visit);
  /// The chunks of one round, visited in the body of its loop.
  void visitRound(Scope &body, Value first, bool isGuarded,
                  Accumulators &accumulators, Visitor visit);
  Accumulators beginSums(const RowSums &sums);
  /// Adds what other chunks came to.
  void addSums(const RowSums &sums, Accumulators &totals, ValueRange more);
  void foldOnline(ArrayRef<OnlineSum> sums, MutableArrayRef<Scope> chunks,
                  MutableArrayRef<Value> state);
  /// Adds `more`, which refers to a largest element of its own, to `state`.
  void addOnline(ArrayRef<OnlineSum> sums, MutableArrayRef<Value> state,
                 ValueRange more);
  void finishOnline(ArrayRef<OnlineSum> sums, ArrayRef<Value> state);
  SmallVector<OnlineSum> getOnlineSums(unsigned sweep);
  bool isOnline(ReductionOpInterface op);
  Value buildScale(OnlineSum sum, Value from, Value to);
  Value spread(Value scalar, Type type);

  // Rows in parts.
  SmallVector<Value> getPartialSums();

  GpuTask task;
  const graph::KernelShape &shape;
  RowGeometry geometry;
  GpuFunction function;
  GpuMemory memory;
  PointEvaluator points;
  SweepPlan plan;
  Sweeps sweeps;
  SmallVector<OnlineSum> onlineSums;
  uint32_t sharedBytes = 0;
  DenseMap<Type, Value> sharedColumns; ///< Where columns of rows meet.
  SmallVector<int64_t> tileOffsets;    ///< Of each operand of a tile.
  SmallVector<Value> tileTotals;
  TilePart part;
  Scope entry, item;
  Value thread; ///< Of those that share the row.
};

} // namespace mpc::emit

#endif // MPC_EMIT_GPU_ROWS_ROWEMITTER_H
