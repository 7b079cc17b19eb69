// Buffers of an entry become offsets: Placement decides, this writes it down.
#include "Planning.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Exec/Analysis/Liveness.h"

using namespace mpc;
using namespace mpc::exec;

/// Erases `buffer`, which no step and no output touches, and what views it.
static void eraseUntouched(Operation *buffer) {
  for (Operation *user : llvm::make_early_inc_range(buffer->getUsers()))
    eraseUntouched(user);
  buffer->erase();
}

void exec::placeBuffers(EntryOp entry) {
  SmallVector<AllocOp> allocs;
  SmallVector<Lifetime> lifetimes;
  Liveness liveness(entry);
  for (const LiveBuffer &live : liveness.buffers()) {
    if (live.last < 0) {
      eraseUntouched(live.alloc);
      continue;
    }
    allocs.push_back(live.alloc);
    lifetimes.push_back(live);
  }
  Placement placement = Placement::find(lifetimes);
  Builder builder(entry.getContext());
  for (auto [alloc, offset] : llvm::zip_equal(allocs, placement.offsets))
    alloc.setOffsetAttr(builder.getI64IntegerAttr(offset));
  entry.setArenaAttr(builder.getI64IntegerAttr(placement.bytes));
  mlir::remark::analysis(
      entry.getLoc(),
      mlir::remark::RemarkOpts::name("placement").category("mpc-plan-buffers"))
      << mlir::remark::metric("entry", entry.getSymName())
      << mlir::remark::metric("order", placement.order)
      << mlir::remark::metric("bytes", placement.bytes)
      << mlir::remark::metric("largest_live_set", liveness.getPeak().bytes);
}
