#include "ColumnFold.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mpc/Emit/KernelAttrs.h"

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

// Threads of a column that fold what the others have, and whose results each
// thread folds.
constexpr int64_t kMaxFold = 4;
// Of the others, as many in one round of a loop.
constexpr int64_t kTogether = 2;

/// A scope of vectors at any address, for every thread.
static Scope makeEverywhere(GpuFunction &function) {
  Scope everywhere = function.makeEntry();
  everywhere.isVector = true;
  return everywhere;
}

void ColumnFold::fold(ArrayRef<ReductionOpInterface> reductions,
                      MutableArrayRef<Value> partials, Value down) {
  if (geometry.down == 1)
    return;
  Scope everywhere = makeEverywhere(function);
  points.forEach(reductions, partials,
                 [&](ReductionOpInterface op, MutableArrayRef<Value> own) {
                   SmallVector<Value> shared = takeBuffers(own);
                   writeAt(memory, shared, getSlot(), own, everywhere);
                   function.synchronize();
                   if (geometry.down > kMaxFold) {
                     foldFar(op, shared, own, down);
                     function.synchronize();
                   }
                   llvm::copy(foldNear(op, shared), own.begin());
                 });
}

/// Shared memory for the accumulators of one reduction, which all reductions
/// use in turn.
SmallVector<Value> ColumnFold::takeBuffers(ArrayRef<Value> partials) {
  SmallVector<Value> taken;
  bool isUsed = false;
  DenseMap<Type, unsigned> numTaken;
  for (Value partial : partials) {
    Type element = mlir::getElementTypeOrSelf(partial.getType());
    SmallVector<Value> &all = buffers[element];
    unsigned number = numTaken[element]++;
    isUsed |= number < all.size();
    if (number == all.size())
      all.push_back(
          function.allocateShared(geometry.block() * geometry.width, element));
    taken.push_back(all[number]);
  }
  if (isUsed) // Others may still read what they left there.
    function.synchronize();
  return taken;
}

/// Of the thread's own elements in shared memory.
Value ColumnFold::getSlot() {
  return function.multiply(function.threadId(), geometry.width);
}

/// The first kMaxFold threads of a column add what the others have, in a loop:
/// written out it would be most of the code of a kernel that folds a lot.
void ColumnFold::foldFar(ReductionOpInterface op, ArrayRef<Value> shared,
                         MutableArrayRef<Value> partials, Value down) {
  auto &f = function;
  Scope everywhere = makeEverywhere(f);
  Value slot = getSlot();
  auto first = scf::IfOp::create(f.b, f.isBelow(down, kMaxFold),
                                 /*withElseRegion=*/false);
  f.b.setInsertionPoint(first.thenYield());
  int64_t stride = geometry.across * geometry.width; // From thread to thread.
  Accumulators totals(partials);
  auto add = [&](int64_t far, Value at) {
    Scope there = everywhere;
    bool isCut = far + kMaxFold > geometry.down;
    if (isCut)
      there.predicate = f.isBelow(down, geometry.down - far);
    Accumulators others = readAt(memory, shared, at, there);
    if (isCut)
      for (auto [other, neutral] :
           llvm::zip_equal(others, points.getNeutrals(op, /*isVector=*/true)))
        other = arith::SelectOp::create(f.b, there.predicate, other, neutral);
    points.combine(op, totals, others);
  };
  int64_t far = kMaxFold, whole = geometry.down / kMaxFold - 1;
  if (int64_t rounds = whole / kTogether; rounds > 1) {
    int64_t step = kTogether * kMaxFold;
    auto loop =
        scf::ForOp::create(f.b, f.add(slot, f.index(far * stride)),
                           f.add(slot, f.index((far + rounds * step) * stride)),
                           f.index(step * stride), totals);
    loop.setUnsignedCmp(true);
    loop->setAttr(kRolled, f.b.getUnitAttr());
    mlir::OpBuilder::InsertionGuard guard(f.b);
    f.b.setInsertionPointToStart(loop.getBody());
    llvm::copy(loop.getRegionIterArgs(), totals.begin());
    for (int64_t k = 0; k < kTogether; ++k)
      add(far, f.add(loop.getInductionVar(), f.index(k * kMaxFold * stride)));
    scf::YieldOp::create(f.b, totals);
    llvm::copy(loop.getResults(), totals.begin());
    far += rounds * step;
  }
  for (; far < geometry.down; far += kMaxFold)
    add(far, f.add(slot, f.index(far * stride)));
  writeAt(memory, shared, slot, totals, everywhere);
  f.b.setInsertionPointAfter(first);
}

ColumnFold::Accumulators ColumnFold::foldNear(ReductionOpInterface op,
                                              ArrayRef<Value> shared) {
  auto &f = function;
  Scope everywhere = makeEverywhere(f);
  Value across = f.remainder(f.threadId(), geometry.across);
  Value first = f.multiply(across, geometry.width);
  Accumulators totals = readAt(memory, shared, first, everywhere);
  for (int64_t k = 1; k < std::min(geometry.down, kMaxFold); ++k) {
    int64_t distance = k * geometry.across * geometry.width;
    Value at = f.add(first, f.index(distance));
    points.combine(op, totals, readAt(memory, shared, at, everywhere));
  }
  return totals;
}
