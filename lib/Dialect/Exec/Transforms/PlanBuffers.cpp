// Purpose: decide where everything lives. The parts and their order are told in
// the record; each has its own file (Planning.h).
#include "Planning.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Exec/Analysis/Liveness.h"
#include "mpc/Dialect/Exec/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mpc::exec {
#define GEN_PASS_DEF_PLANBUFFERS
#include "mpc/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace mpc::exec

using namespace mpc;
using namespace mpc::exec;

namespace {
struct PlanBuffers final : exec::impl::PlanBuffersBase<PlanBuffers> {
  using Base::Base;

  /// Offsets are sums of these bytes; no sum may wrap.
  LogicalResult checkTotalBytes() {
    int64_t total = 0;
    auto walked = getOperation().walk([&](Operation *op) {
      Type type;
      if (auto state = dyn_cast<StateDeclOp>(op))
        type = state.getType();
      else if (isa<ConstantOp, AllocOp>(op))
        type = op->getResult(0).getType();
      if (!type)
        return mlir::WalkResult::advance();
      total = addBytes(total, alignUp(getBytes(cast<mlir::MemRefType>(type))));
      if (total <= kMaxModelBytes)
        return mlir::WalkResult::advance();
      op->emitOpError("expected buffers of at most 2^")
          << llvm::Log2_64(kMaxModelBytes)
          << " bytes together, but those up to here have more";
      return mlir::WalkResult::interrupt();
    });
    return failure(walked.wasInterrupted());
  }

  void placeStates() {
    Builder builder(&getContext());
    int64_t offset = 0;
    for (auto state : getOperation().getOps<StateDeclOp>()) {
      state.setOffsetAttr(builder.getI64IntegerAttr(offset));
      offset += alignUp(getBytes(cast<mlir::MemRefType>(state.getType())));
    }
  }

  /// Equal constants share their bytes, over all entries.
  void placeConstants() {
    Builder builder(&getContext());
    DenseMap<Attribute, mlir::IntegerAttr> offsets;
    int64_t end = 0;
    for (auto entry : getOperation().getOps<EntryOp>())
      for (auto constant : entry.getOps<ConstantOp>()) {
        mlir::IntegerAttr &offset = offsets[constant.getValueAttr()];
        if (!offset) {
          offset = builder.getI64IntegerAttr(end);
          end += alignUp(getBytes(constant.getBuffer().getType()));
        }
        constant.setOffsetAttr(offset);
      }
  }

  void runOnOperation() override {
    mlir::SymbolTableCollection symbols;
    if (failed(checkTotalBytes()))
      return signalPassFailure();
    placeStates();
    placeConstants();
    for (auto entry : getOperation().getOps<EntryOp>()) {
      if (failed(orderForUpdates(entry, symbols)))
        return signalPassFailure();
      donateStates(entry);
      orderForPeak(entry);
      overlapCollectives(entry);
      reuseDyingBuffers(entry, symbols);
      placeBuffers(entry);
    }
  }
};
} // namespace
