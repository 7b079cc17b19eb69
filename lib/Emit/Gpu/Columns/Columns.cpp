// Column kernels on a GPU: reductions over rows, along which no vector runs.
//
// One stage if a block can take all rows of its columns: it sweeps over them as
// often as needed. Else each sweep is a stage. A block folds its part of the
// rows and leaves the partial results in the workspace; the next stage, and a
// final one that stores the results of the columns, begin by folding those of
// all row blocks, in ascending order. No atomics: the same bits every time.
#include "../../Common/Cascade.h"
#include "../../Common/Sweeps.h"
#include "../Kernels.h"
#include "../Memory.h"
#include "ColumnFold.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mpc/Interfaces/TensorBytes.h"
#include <vector>

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace memref = mlir::memref;
namespace scf = mlir::scf;

namespace {
/// Where the partial results of a sweep lie in the workspace.
using Offsets = SmallVector<SmallVector<int64_t>>;

/// What the stages of a kernel must agree on.
struct ColumnPlan {
  SweepPlan sweeps;
  ColumnGeometry geometry; ///< Of the stages that sweep.
  Offsets offsets;         ///< None where there is one stage.
  uint64_t workspaceBytes = 0;
};

class ColumnStage {
public:
  /// `plan` must outlive the stage.
  ColumnStage(GpuTask task, const ColumnPlan &plan,
              const ColumnGeometry &geometry, const GpuStage &stage)
      : task(task), shape(task.shape), geometry(geometry), plan(plan.sweeps),
        offsets(plan.offsets), rowBlocks(plan.geometry.rowBlocks),
        function(task, stage, plan.workspaceBytes),
        memory(function.b, geometry.width),
        points(function.b, task.body, shape, memory,
               getGpuEvaluation(task, geometry.width)),
        sweeps(points, plan.sweeps), block(function, points, memory, geometry) {
    points.start(function.memrefs());
    workspace = function.memrefs().back(); // If there is one.
    placeThread();
  }

  /// One stage: all sweeps, then the results of the columns.
  void emitAll();
  /// One sweep, whose partial results go to the workspace.
  void emitSweep(unsigned sweep);
  /// The results of the columns.
  void emitFinal();

private:
  using Accumulators = SmallVector<Value>;
  using Reductions = ArrayRef<ReductionOpInterface>;
  /// Visits rows, given their numbers, in a body of a loop.
  using Visitor = function_ref<void(Scope &body, ArrayRef<Value> rows,
                                    Accumulators &accumulators)>;

  void placeThread();
  void readOverwritten();
  /// Rows `first`, `first` + down, ... of `rows`, `count` of them: what they
  /// come to.
  Accumulators loopOverRows(Reductions reductions, Value first, Value count,
                            int64_t rows, Visitor visit);
  Accumulators loop(Value from, Value to, int64_t unroll, Value first,
                    const Accumulators &accumulators, const Cascade &cascade,
                    Reductions reductions, Visitor visit);
  /// What the thread folds of its rows in `sweep`.
  Accumulators sweepRows(unsigned sweep);
  void foldSweep(unsigned sweep);
  Value getPartials(unsigned sweep, unsigned number, Type element);
  Value countRows(Value first, Value end);
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(function.b, condition, x, y);
  }
  Value getPlace(Value block);
  void storeColumns();

  GpuTask task;
  const graph::KernelShape &shape;
  ColumnGeometry geometry;
  const SweepPlan &plan;
  const Offsets &offsets;
  int64_t rowBlocks; ///< Of the stages that sweep.
  GpuFunction function;
  GpuMemory memory;
  PointEvaluator points;
  Sweeps sweeps;
  Scope entry, item, column;
  Scope everywhere; ///< Vectors at any address, for every thread.
  Value workspace, columnNumber, rowBlock;
  Value down; ///< Number of the thread among those of its column.
  ColumnFold block;
};
} // namespace

void ColumnStage::placeThread() {
  entry = function.makeEntry();
  auto &f = function;
  Value across = f.remainder(f.threadId(), geometry.across);
  down = f.divide(f.threadId(), geometry.across);
  Value columnBlock = f.blockId();
  rowBlock = f.index(0);
  if (geometry.rowBlocks > 1) {
    columnBlock = f.remainder(f.blockId(), geometry.columnBlocks());
    rowBlock = f.divide(f.blockId(), geometry.columnBlocks());
  }
  columnNumber = f.add(f.multiply(columnBlock, geometry.across), across);

  item = entry.makeInner(entry.block);
  if (geometry.numColumns % geometry.across)
    item.predicate = f.isBelow(columnNumber, geometry.numColumns);
  if (geometry.block() != geometry.across * geometry.down)
    item.predicate = f.both(item.predicate, f.isBelow(down, geometry.down));
  SmallVector<int64_t> sizes;
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < shape.numItemDims; ++dim)
    if (int(dim) != shape.axis)
      dims.push_back(dim), sizes.push_back(shape.dims[dim].size);
  sizes.push_back(shape.dims[shape.axis].size / geometry.width);
  auto indices = divideNumber(points, f.b, columnNumber, sizes);
  for (auto [dim, index] : llvm::zip(dims, indices))
    item.setIndex(dim, index);
  column = item.makeInner(item.block);
  column.isVector = true;
  column.setIndex(shape.axis, f.multiply(indices.back(), geometry.width));
  everywhere = f.makeEntry();
  everywhere.isVector = true;
}

/// One thread writes a result of a column; the others must have read the
/// operand whose memory it overwrites. They have when their sums meet.
void ColumnStage::readOverwritten() {
  for (auto [operand, result] : shape.inPlacePairs)
    if (!shape.isSweptResult(result))
      points.get(task.body.getArgument(operand), column);
}

/// How many of the rows from `first` to `end` the thread takes: none if it has
/// no column.
Value ColumnStage::countRows(Value first, Value end) {
  auto &b = function.b;
  Value left = arith::SubIOp::create(
      b, function.add(end, function.index(geometry.down - 1)), first);
  Value count = function.divide(left, geometry.down);
  return item.predicate ? select(item.predicate, count, function.index(0))
                        : count;
}

/// Iterations [from, to), `unroll` at a time; iteration k visits row `first` +
/// k * down.
ColumnStage::Accumulators
ColumnStage::loop(Value from, Value to, int64_t unroll, Value first,
                  const Accumulators &accumulators, const Cascade &cascade,
                  Reductions reductions, Visitor visit) {
  auto begin = [&] { return points.getNeutrals(reductions, true); };
  auto add = [&](Accumulators &totals, ValueRange block) {
    points.combine(reductions, totals, block);
  };
  auto fill = [&](scf::ForOp outermost, scf::ForOp rows, Accumulators own) {
    entry.loop = item.loop = column.loop = outermost;
    Scope body = item.makeInner(rows.getBody());
    body.predicate = Value();
    points.enter(body);
    Value row = function.add(
        first, function.multiply(rows.getInductionVar(), geometry.down));
    SmallVector<Value> numbers = {row};
    for (int64_t k = 1; k < unroll; ++k)
      numbers.push_back(function.add(row, function.index(k * geometry.down)));
    visit(body, numbers, own);
    return own;
  };
  Accumulators totals = buildCascade(function.b, cascade, from, to, unroll,
                                     accumulators, {begin, add, fill});
  entry.loop = item.loop = column.loop = nullptr;
  return totals;
}

/// The rows that are left of the last `unroll` are visited alone.
ColumnStage::Accumulators ColumnStage::loopOverRows(Reductions reductions,
                                                    Value first, Value count,
                                                    int64_t rows,
                                                    Visitor visit) {
  int64_t unroll = geometry.unroll;
  int64_t rounds =
      llvm::divideCeil(llvm::divideCeil(rows, geometry.down), unroll);
  bool isExact = llvm::none_of(reductions, dependsOnOrder);
  Cascade cascade = isExact ? Cascade::makePlain(rounds, unroll)
                            : Cascade::choose(rounds, unroll);
  Value none = function.index(0);
  Accumulators neutrals = points.getNeutrals(reductions, /*isVector=*/true);
  if (unroll == 1)
    return loop(none, count, 1, first, neutrals, cascade, reductions, visit);
  Value rest = function.remainder(count, unroll);
  Value main = arith::SubIOp::create(function.b, count, rest);
  Accumulators sums =
      loop(none, main, unroll, first, neutrals, cascade, reductions, visit);
  return loop(main, count, 1, first, sums, Cascade::makePlain(unroll - 1, 1),
              reductions, visit);
}

/// The loads of several rows come first, so that they are under way together.
ColumnStage::Accumulators ColumnStage::sweepRows(unsigned sweep) {
  auto &f = function;
  Value begin = f.multiply(rowBlock, geometry.rowsPerBlock);
  Value end = f.index(geometry.numRows);
  if (geometry.rowBlocks > 1)
    end = arith::MinUIOp::create(
        f.b, f.add(begin, f.index(geometry.rowsPerBlock)), end);
  Value first = f.add(begin, down);
  SmallVector<unsigned> dims = getReducedDims(shape, /*withAxis=*/false);
  SmallVector<int64_t> sizes;
  for (unsigned dim : dims)
    sizes.push_back(shape.dims[dim].size);
  auto visit = [&](Scope &body, ArrayRef<Value> rows, Accumulators &own) {
    std::vector<Scope> scopes, visited;
    scopes.reserve(rows.size()); // points refer to them
    for (Value row : rows) {
      Scope &scope = scopes.emplace_back(body.makeInner(body.block));
      for (auto [dim, index] :
           llvm::zip(dims, divideNumber(points, f.b, row, sizes)))
        scope.setIndex(dim, index);
      scope.beside = &column;
      Scope &point = visited.emplace_back(scope.makeInner(scope.block));
      point.beside = &column;
      point.isVector = true;
      point.setIndex(shape.axis, column.index[shape.axis]);
    }
    for (Scope &point : visited)
      for (Value argument : task.body.getArguments())
        if (shape.accesses.contains(argument) &&
            shape.sweeps.lookup(argument) >> sweep & 1)
          points.get(argument, point);
    for (Scope &point : visited)
      sweeps.visitPoint(point, sweep, own);
  };
  return loopOverRows(plan.getReductions(sweep), first, countRows(first, end),
                      geometry.rowsPerBlock, visit);
}

/// The partial results of accumulator `number` of `sweep`.
Value ColumnStage::getPartials(unsigned sweep, unsigned number, Type element) {
  auto &b = function.b;
  Value offset = arith::ConstantIndexOp::create(b, offsets[sweep][number]);
  int64_t size = rowBlocks * geometry.numColumns * geometry.width;
  return memref::ViewOp::create(b, mlir::MemRefType::get({size}, element),
                                workspace, offset, ValueRange());
}

/// Element of the workspace where `block` left its result for the column.
Value ColumnStage::getPlace(Value block) {
  return function.multiply(
      function.add(function.multiply(block, geometry.numColumns), columnNumber),
      geometry.width);
}

/// Folds what the row blocks left of an earlier stage's sweep.
void ColumnStage::foldSweep(unsigned sweep) {
  auto reductions = plan.getReductions(sweep);
  if (reductions.empty())
    return;
  points.enter(column);
  SmallVector<Value> partials;
  for (auto [number, neutral] :
       llvm::enumerate(points.getNeutrals(reductions, /*isVector=*/true)))
    partials.push_back(
        getPartials(sweep, number, mlir::getElementTypeOrSelf(neutral)));
  auto visit = [&](Scope &, ArrayRef<Value> blocks, Accumulators &own) {
    for (Value block : blocks)
      points.combine(reductions, own,
                     readAt(memory, partials, getPlace(block), everywhere));
  };
  Accumulators totals =
      loopOverRows(reductions, down, countRows(down, function.index(rowBlocks)),
                   rowBlocks, visit);
  block.fold(reductions, totals, down);
  points.setResults(reductions, totals, column);
}

void ColumnStage::emitAll() {
  readOverwritten();
  for (unsigned sweep = 1; sweep <= plan.count(); ++sweep) {
    points.enter(column);
    auto reductions = plan.getReductions(sweep);
    Accumulators totals = sweepRows(sweep);
    block.fold(reductions, totals, down);
    points.setResults(reductions, totals, column);
  }
  storeColumns();
}

void ColumnStage::emitSweep(unsigned sweep) {
  for (unsigned earlier = 1; earlier < sweep; ++earlier)
    foldSweep(earlier);
  points.enter(column);
  auto reductions = plan.getReductions(sweep);
  Accumulators totals = sweepRows(sweep);
  block.fold(reductions, totals, down);
  Scope leader = everywhere;
  leader.predicate = function.both(item.predicate, function.isEqual(down, 0));
  for (auto [number, total] : llvm::enumerate(totals)) {
    Type element = mlir::getElementTypeOrSelf(total.getType());
    memory.write(getPartials(sweep, number, element), getPlace(rowBlock), 1,
                 total, leader);
  }
  function.finish();
}

void ColumnStage::emitFinal() {
  readOverwritten();
  for (unsigned sweep = 1; sweep <= plan.count(); ++sweep)
    foldSweep(sweep);
  storeColumns();
}

void ColumnStage::storeColumns() {
  points.enter(column);
  if (geometry.down > 1)
    column.writer = function.both(item.predicate, function.isEqual(down, 0));
  sweeps.storeResults(column, 0);
  function.finish();
}

/// Offsets of the partial results, one after the other.
static void planWorkspace(ColumnPlan &plan) {
  const ColumnGeometry &geometry = plan.geometry;
  int64_t elements = geometry.rowBlocks * geometry.numColumns * geometry.width;
  plan.offsets.resize(1); // none of sweep 0
  for (unsigned sweep = 1; sweep <= plan.sweeps.count(); ++sweep) {
    SmallVector<int64_t> &own = plan.offsets.emplace_back();
    for (ReductionOpInterface op : plan.sweeps.getReductions(sweep))
      for (Value result : op->getResults()) {
        Type type =
            getComputeType(mlir::getElementTypeOrSelf(result.getType()));
        own.push_back(int64_t(plan.workspaceBytes));
        plan.workspaceBytes +=
            llvm::alignTo(elements * getElementBytes(type), 256);
      }
  }
}

static ColumnPlan planColumns(GpuTask task) {
  ColumnPlan plan{
      SweepPlan(task.body, task.shape),
      chooseColumnGeometry(task.body, task.shape, *task.options.gpu),
      {}};
  if (plan.geometry.rowBlocks > 1)
    planWorkspace(plan);
  return plan;
}

FailureOr<GpuKernel> emit::emitGpuColumns(GpuTask task) {
  ColumnPlan plan = planColumns(task);
  GpuKernel kernel;
  kernel.workspaceBytes = plan.workspaceBytes;
  auto emitStage = [&](const ColumnGeometry &own,
                       function_ref<void(ColumnStage &)> fill) {
    auto stage =
        makeGpuStage(task, own.columnBlocks() * own.rowBlocks, own.block());
    if (failed(stage))
      return false;
    if (!kernel.stages.empty())
      stage->symbol += "_" + std::to_string(kernel.stages.size());
    kernel.stages.push_back(*stage);
    ColumnStage columns(task, plan, own, *stage);
    fill(columns);
    return true;
  };
  if (plan.geometry.rowBlocks == 1) {
    if (!emitStage(plan.geometry, [](ColumnStage &stage) { stage.emitAll(); }))
      return failure();
    return kernel;
  }
  for (unsigned sweep = 1; sweep <= plan.sweeps.count(); ++sweep)
    if (!emitStage(plan.geometry,
                   [&](ColumnStage &stage) { stage.emitSweep(sweep); }))
      return failure();
  if (!plan.sweeps.getResults(0).empty() &&
      !emitStage(chooseFinalGeometry(plan.geometry),
                 [](ColumnStage &stage) { stage.emitFinal(); }))
    return failure();
  return kernel;
}
