#include "TileGeometry.h"
#include "../../Common/SweepPlan.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mpc;
using namespace mpc::emit;
using mlir::getElementTypeOrSelf;
using mpc::graph::KernelShape;

namespace {
constexpr int64_t kMinWarps = 6, kMaxWarps = 8;
// Values of a point that one sweep hands to the next: with more of them the
// code of all sweeps takes more registers than two blocks have.
constexpr int64_t kMaxKept = 3;
// One tile is worked on, the next one is on its way.
constexpr int64_t kTiles = 2;
// Instructions of a warp, about, as an H100's code of the gradient of a
// normalisation has them: per chunk, and beside the chunks.
constexpr int64_t kFoldChunk = 140, kFoldRow = 300, kMeet = 60;
constexpr int64_t kColumnChunk = 115, kColumnRow = 20, kBarrier = 40;

/// Bytes of `value` that are copied at a time, so that all copies are aligned;
/// 0: fewer than 4, which no instruction copies.
int64_t countCopyBytes(const KernelShape &shape, Value value) {
  const graph::Access &access = shape.accesses.find(value)->second;
  int64_t common = std::gcd(shape.dims[shape.axis].size, access.offset);
  for (auto [dim, stride] : llvm::enumerate(access.strides))
    if (int(dim) != shape.axis)
      common = std::gcd(common, stride);
  int64_t bytes = std::gcd<int64_t>(
      common * getElementBytes(getElementTypeOrSelf(value)), 16);
  return bytes < 4 ? 0 : bytes;
}

/// Whether `value` is read anew at each point, in the order of memory.
bool isOfAllPoints(const KernelShape &shape, Value value) {
  Operation *op = value.getDefiningOp();
  return !(op && graph::getOpForm(op) == graph::OpForm::Index) &&
         isa<FloatType>(getElementTypeOrSelf(value)) &&
         shape.accesses.find(value)->second.strides[shape.axis] == 1 &&
         shape.varies.lookup(value) == shape.allMask();
}

/// What results of all points and columns are computed from and is the same in
/// a row.
SmallVector<Value> findTotals(Block &body, const KernelShape &shape) {
  llvm::SetVector<Value> totals;
  SmallVector<Value> open;
  for (auto [number, value] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    if (shape.isPartial(number))
      llvm::append_range(open, value.getDefiningOp()->getOperands());
    else if (shape.isSweptResult(number))
      open.push_back(value);
  }
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (shape.isSwept(value)) {
      if (!shape.accesses.contains(value))
        llvm::append_range(open, op->getOperands());
    } else if (shape.varies.lookup(value) || shape.depths.lookup(value)) {
      totals.insert(value);
    }
  }
  return totals.takeVector();
}

class TileChoice {
public:
  TileChoice(GpuTask task, TileGeometry &tiles)
      : shape(task.shape), tiles(tiles), plan(task.body, task.shape) {
    for (Value value : tiles.operands)
      rowBytes += shape.dims[shape.axis].size *
                  getElementBytes(getElementTypeOrSelf(value));
    for (unsigned sweep = 1; sweep <= plan.count(); ++sweep) {
      sweeps += !plan.getReductions(sweep).empty();
      for (ReductionOpInterface op : plan.getReductions(sweep))
        sums += op->getNumResults();
    }
    // Two blocks share a multiprocessor; a block takes 1024 bytes beside what
    // it asks for. An old cubin or its PTX must run on smaller GPUs, too.
    room = std::min<int64_t>(
        99 * 1024, task.options.gpu->sharedBytesPerMultiprocessor / 2 - 1024);
  }

  /// The cheapest number of rows and of threads for each.
  bool choose() {
    double best = 0;
    for (int64_t warps = 1; warps <= kMaxWarps; warps *= 2)
      for (int64_t rows = 1; rows * warps <= kMaxWarps; ++rows) {
        if (rows * warps < kMinWarps || !fits(rows, warps) ||
            2 * rows > shape.rowsPerPart)
          continue;
        double cost = count(rows, warps);
        if (best && cost >= best)
          continue;
        best = cost;
        tiles.rows.threads = warps * kWarp;
        tiles.rows.rowsPerBlock = rows;
      }
    tiles.rows.chunksPerThread =
        llvm::divideCeil(tiles.rows.chunksPerRow, tiles.rows.threads);
    return best;
  }

private:
  bool fits(int64_t rows, int64_t warps) const {
    int64_t aside = tiles.totals.size() * llvm::alignTo(rows * 8, 32) +
                    sums * llvm::alignTo(rows * warps * 8, 32);
    return kTiles * rows * rowBytes + aside <= room;
  }

  /// Instructions for a row, of all warps, those that wait for others counted
  /// as well; few warps hide less of what they wait for.
  double count(int64_t rows, int64_t warps) const {
    int64_t chunks = tiles.rows.chunksPerRow, all = rows * warps;
    int64_t fold =
        warps * (llvm::divideCeil(chunks, warps * kWarp) * kFoldChunk +
                 kFoldRow + (warps > 1 ? kMeet : 0));
    int64_t columns =
        all *
        (llvm::divideCeil(chunks, all * kWarp) * kColumnChunk + kColumnRow);
    int64_t barriers = 2 + (warps > 1 ? sweeps : 0);
    double idle = all < 6 ? 1.25 : 1;
    idle *= double(llvm::alignTo(shape.rowsPerPart, rows)) / shape.rowsPerPart;
    return idle * (fold + columns + double(barriers * kBarrier * all) / rows);
  }

  const KernelShape &shape;
  TileGeometry &tiles;
  SweepPlan plan;
  int64_t rowBytes = 0, sweeps = 0, sums = 0, room = 0;
};
} // namespace

int64_t TileGeometry::columnChunks() const {
  return llvm::divideCeil(rows.chunksPerRow, rows.block());
}

std::optional<TileGeometry> emit::chooseTiles(GpuTask task) {
  const KernelShape &shape = task.shape;
  RowGeometry kept = chooseRowsWithColumns(task.body, shape);
  if (kept.threads <= kWarp || shape.axis != int(shape.numItemDims) ||
      shape.dims.size() != shape.numItemDims + 1 ||
      countKeptRegisters(task.body, shape) > kMaxKept)
    return std::nullopt;
  TileGeometry tiles;
  for (const auto &[value, access] : shape.accesses)
    if (access.index || !access.window.empty())
      return std::nullopt;
  auto add = [&](Value value) {
    if (!shape.accesses.contains(value) || !isOfAllPoints(shape, value))
      return;
    if (int64_t bytes = countCopyBytes(shape, value)) {
      tiles.operands.push_back(value);
      tiles.copyBytes.push_back(bytes);
    }
  };
  for (Value argument : task.body.getArguments())
    add(argument);
  for (Operation &op : task.body.without_terminator())
    for (Value result : op.getResults())
      add(result);
  tiles.totals = findTotals(task.body, shape);
  if (tiles.operands.empty() || !llvm::all_of(tiles.totals, [](Value value) {
        return isa<FloatType>(getElementTypeOrSelf(value));
      }))
    return std::nullopt;
  tiles.rows.width = kept.width;
  tiles.rows.numRows = kept.numRows;
  tiles.rows.chunksPerRow = kept.chunksPerRow;
  if (!TileChoice(task, tiles).choose())
    return std::nullopt;
  return tiles;
}
