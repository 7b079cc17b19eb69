// Few rows, very long: blocks share a row. Each leaves its sums in the
// workspace, and a second launch folds them, in the order of the row.
#include "../Kernels.h"
#include "RowEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/Support/MathExtras.h"
#include <bit>

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace memref = mlir::memref;

constexpr uint64_t kAlignment = 256;

/// The type in which `result` of a reduction is accumulated.
static Type getSumType(Value result) {
  return getComputeType(mlir::getElementTypeOrSelf(result.getType()));
}

/// Bytes of the sums of all parts for one result of a reduction.
static uint64_t getSumBytes(Value result, const RowGeometry &geometry) {
  uint64_t bytes = getElementBytes(getSumType(result));
  return llvm::alignTo(geometry.numRows * geometry.parts * bytes, kAlignment);
}

/// Per accumulator of the only sweep: the sums of the parts, row by row.
SmallVector<Value> GpuRowEmitter::getPartialSums() {
  auto &b = function.b;
  Value workspace = function.memrefs().back();
  SmallVector<Value> sums;
  uint64_t offset = 0;
  for (ReductionOpInterface op : plan.getReductions(1))
    for (Value result : op->getResults()) {
      auto type = mlir::MemRefType::get({geometry.numRows * geometry.parts},
                                        getSumType(result));
      Value begin = arith::ConstantIndexOp::create(b, offset);
      sums.push_back(
          memref::ViewOp::create(b, type, workspace, begin, ValueRange()));
      offset += getSumBytes(result, geometry);
    }
  return sums;
}

void GpuRowEmitter::emitParts() {
  thread = function.threadId();
  Value part = function.remainder(function.blockId(), geometry.parts);
  placeRow(function.divide(function.blockId(), geometry.parts));
  SmallVector<Value> sums = getPartialSums();
  auto reductions = plan.getReductions(1);
  int64_t perPart = geometry.roundsPerPart * geometry.chunksPerRound();
  Value first = function.add(function.multiply(part, perPart), thread);
  bool isRagged = geometry.chunksPerRow % perPart != 0;
  Accumulators accumulators = visitRounds(
      first, geometry.roundsPerPart, isRagged,
      {llvm::to_vector(reductions), {}}, [&](auto chunks, Accumulators &all) {
        visitChunks(chunks, 1, reductions, all);
      });
  points.foldLanes(reductions, accumulators);
  SmallVector<Value> partials = foldThreads(
      function, points, reductions, std::move(accumulators), geometry.threads);
  Scope writer = item;
  writer.writer = function.isEqual(thread, 0);
  for (auto [memref, partial] : llvm::zip(sums, partials))
    memory.write(memref, function.blockId(), 1, partial, writer);
  function.finish();
}

void GpuRowEmitter::emitTotals() {
  thread = function.threadId();
  placeRow(function.blockId());
  readOverwritten();
  auto reductions = plan.getReductions(1);
  Scope lane = item;
  if (geometry.parts < geometry.threads)
    lane.predicate = function.isBelow(thread, geometry.parts);
  Value place = function.add(
      function.multiply(function.blockId(), geometry.parts), thread);
  Accumulators partials = points.getNeutrals(reductions, /*isVector=*/false);
  for (auto [partial, memref] : llvm::zip_equal(partials, getPartialSums())) {
    Value own = memory.read(memref, place, 1, lane);
    partial =
        lane.predicate
            ? arith::SelectOp::create(function.b, lane.predicate, own, partial)
            : own;
  }
  partials =
      foldThreads(function, points, reductions, partials, geometry.threads);
  points.setResults(reductions, partials, item);
  storeItem();
  function.finish();
}

FailureOr<GpuKernel> emit::emitGpuRowParts(GpuTask task,
                                           const RowGeometry &geometry) {
  uint64_t bytes = 0;
  for (Operation &op : task.body)
    if (auto reduction = dyn_cast<ReductionOpInterface>(op))
      for (Value result : reduction->getResults())
        bytes += getSumBytes(result, geometry);
  RowGeometry totals = geometry;
  totals.threads =
      std::max<int64_t>(kWarp, std::bit_ceil(uint64_t(geometry.parts)));
  auto first = makeGpuStage(task, geometry.grid(), geometry.block());
  auto second = makeGpuStage(task, geometry.numRows, totals.threads);
  if (failed(first) || failed(second))
    return failure();
  second->symbol += "_1";
  GpuRowEmitter(task, geometry, *first, bytes).emitParts();
  GpuRowEmitter(task, totals, *second, bytes).emitTotals();
  return GpuKernel{{*first, *second}, bytes};
}
