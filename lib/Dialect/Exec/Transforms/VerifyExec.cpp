// Gate of stage exec. Checks the plan from nothing but the planned program, so
// that a mistake of the planner is found here and not as a wrong number.
#include "MemoryReplay.h"
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Exec/Analysis/Liveness.h"
#include "mpc/Dialect/Exec/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::exec {
#define GEN_PASS_DEF_VERIFYEXEC
#include "mpc/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace mpc::exec

using namespace mpc;
using namespace mpc::exec;

namespace {

LogicalResult verifyOffset(Operation *op, std::optional<uint64_t> offset) {
  if (!offset)
    return op->emitOpError("expected an offset; run mpc-plan-buffers first");
  if (*offset % kAlignment != 0)
    return op->emitOpError("expected an offset that is a multiple of ")
           << kAlignment << ", but got " << *offset;
  return success();
}

/// Checks one entry.
class EntryVerifier {
public:
  EntryVerifier(EntryOp entry, const llvm::StringMap<StateDeclOp> &states,
                mlir::SymbolTableCollection &symbols)
      : entry(entry), states(states), symbols(symbols) {}

  LogicalResult run() {
    if (failed(verifyBuffers()))
      return failure();
    MemoryReplay memory;
    for (auto step : entry.getOps<StepOpInterface>()) {
      for (Value read : step.getReads())
        if (failed(memory.read(step, read)))
          return failure();
      if (failed(verifyWrites(step)))
        return failure();
      for (Value write : step.getWrites())
        memory.write(step, write);
    }
    for (auto output : entry.getOps<OutputOp>())
      if (failed(memory.read(output, output.getValue())))
        return failure();
    return success();
  }

private:
  LogicalResult verifyBuffers() {
    for (Operation &op : entry.getBody().front()) {
      if (auto update = dyn_cast<UpdateOp>(op))
        return update.emitOpError("expected no update in a planned entry; run "
                                  "mpc-plan-buffers first");
      auto state = dyn_cast<StateOp>(op);
      if (state && failed(verifyState(state)))
        return failure();
      auto constant = dyn_cast<ConstantOp>(op);
      if (constant && failed(verifyOffset(constant, constant.getOffset())))
        return failure();
      auto alloc = dyn_cast<AllocOp>(op);
      if (alloc && failed(verifyAlloc(alloc)))
        return failure();
    }
    return success();
  }

  LogicalResult verifyState(StateOp state) {
    StateDeclOp decl = states.lookup(state.getName());
    if (!decl)
      return state.emitOpError("expected state '")
             << state.getName() << "' to be declared in the module";
    if (decl.getType() != state.getBuffer().getType())
      return state.emitOpError("expected type ")
             << decl.getType() << " as declared, but got "
             << state.getBuffer().getType();
    return success();
  }

  LogicalResult verifyAlloc(AllocOp alloc) {
    if (failed(verifyOffset(alloc, alloc.getOffset())))
      return failure();
    int64_t end = *alloc.getOffset() + getBytes(alloc.getBuffer().getType());
    int64_t arena = entry.getArena().value_or(0);
    if (end > arena)
      return alloc.emitOpError("expected to end within the arena of ")
             << arena << " bytes, but it ends at " << end;
    return success();
  }

  /// Each is looked up once: a multi-tensor step reads and writes hundreds.
  static SmallVector<Memory> findMemory(ValueRange buffers) {
    return llvm::map_to_vector(buffers, Memory::of);
  }

  LogicalResult verifyWrites(StepOpInterface step) {
    SmallVector<Memory> reads = findMemory(step.getReads());
    SmallVector<Memory> writes = findMemory(step.getWrites());
    for (auto [w, own] : llvm::enumerate(writes)) {
      if (!own.isWritable())
        return step->emitOpError("expected to write states and allocations, "
                                 "but it writes an input or a constant");
      for (auto [r, read] : llvm::enumerate(reads))
        if (read.overlaps(own) &&
            !(read == own && step.canShare(symbols, r, w)))
          return step->emitOpError("expected read ")
                 << r << " and write " << w
                 << " to be apart, because the step cannot work in place on "
                    "them";
      for (auto [other, memory] :
           llvm::enumerate(ArrayRef(writes).drop_front(w + 1)))
        if (memory.overlaps(own))
          return step->emitOpError("expected writes ")
                 << w << " and " << w + 1 + other << " to be apart";
    }
    return success();
  }

  EntryOp entry;
  const llvm::StringMap<StateDeclOp> &states;
  mlir::SymbolTableCollection &symbols;
};

struct VerifyExec final : exec::impl::VerifyExecBase<VerifyExec> {
  using Base::Base;

  FailureOr<llvm::StringMap<StateDeclOp>> verifyStates() {
    llvm::StringMap<StateDeclOp> states;
    graph::StateTable table;
    int64_t end = 0;
    for (auto state : getOperation().getOps<StateDeclOp>()) {
      if (!states.try_emplace(state.getName(), state).second)
        return state.emitOpError("expected one state of each name, but '")
               << state.getName() << "' is declared twice";
      auto type = cast<mlir::MemRefType>(state.getType());
      if (failed(verifyOffset(state, state.getOffset())) ||
          failed(table.add(state.getFacts(), type, state.getLoc())))
        return failure();
      if (int64_t(*state.getOffset()) < end)
        return state.emitOpError("expected to start at or after ")
               << end << ", where the state before ends, but got "
               << *state.getOffset();
      end = *state.getOffset() + getBytes(type);
    }
    if (failed(table.verifyOwners()))
      return failure();
    return states;
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    mlir::SymbolTableCollection symbols;
    auto states = verifyStates();
    if (failed(states))
      return signalPassFailure();
    for (auto entry : getOperation().getOps<EntryOp>())
      if (failed(EntryVerifier(entry, *states, symbols).run()))
        return signalPassFailure();
  }
};

} // namespace
