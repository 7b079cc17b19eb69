// Gate of stage exec. Checks the plan from nothing but the planned program, so
// that a mistake of the planner is found here and not as a wrong number.
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Exec/Analysis/Liveness.h"
#include "mpc/Dialect/Exec/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include <map>

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
      : entry(entry), states(states), symbols(symbols), liveness(entry) {}

  LogicalResult run() {
    if (failed(verifyBuffers()) || failed(verifyOverlap()))
      return failure();
    DenseSet<Value> written;
    for (StepOpInterface step : liveness.steps())
      if (failed(verifyReads(step, written)) || failed(verifyWrites(step)))
        return failure();
      else
        for (Value write : step.getWrites())
          written.insert(getRoot(write));
    for (auto output : entry.getOps<OutputOp>())
      if (failed(verifyRead(output, output.getValue(), written)))
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

  /// Sweeps over time with the live buffers sorted by offset: a new one can
  /// only overlap its neighbours.
  LogicalResult verifyOverlap() {
    SmallVector<LiveBuffer> byStart(liveness.buffers());
    llvm::sort(byStart, [](const LiveBuffer &a, const LiveBuffer &b) {
      return std::pair(a.first, a.last) < std::pair(b.first, b.last);
    });
    std::multimap<int64_t, LiveBuffer> byEnd;
    std::map<int64_t, LiveBuffer> byOffset;
    for (LiveBuffer &live : byStart) {
      while (!byEnd.empty() && byEnd.begin()->first < live.first) {
        AllocOp dead = byEnd.begin()->second.alloc;
        byOffset.erase(*dead.getOffset());
        byEnd.erase(byEnd.begin());
      }
      int64_t offset = *live.alloc.getOffset();
      auto above = byOffset.lower_bound(offset);
      if (above != byOffset.end() && above->first < offset + live.bytes)
        return reportOverlap(live, above->second);
      if (above != byOffset.begin()) {
        auto below = std::prev(above);
        if (below->first + below->second.bytes > offset)
          return reportOverlap(live, below->second);
      }
      byOffset.emplace(offset, live);
      byEnd.emplace(live.last, live);
    }
    return success();
  }

  LogicalResult reportOverlap(LiveBuffer live, LiveBuffer other) {
    auto diagnostic =
        live.alloc.emitOpError("expected no overlap with buffers that live at "
                               "the same time, but [")
        << *live.alloc.getOffset() << ", "
        << *live.alloc.getOffset() + live.bytes << ") meets ["
        << *other.alloc.getOffset() << ", "
        << *other.alloc.getOffset() + other.bytes << ")";
    diagnostic.attachNote(other.alloc.getLoc()) << "the other buffer is here";
    return failure();
  }

  LogicalResult verifyRead(Operation *op, Value buffer,
                           const DenseSet<Value> &written) {
    Value root = getRoot(buffer);
    if (!root.getDefiningOp<AllocOp>() || written.contains(root))
      return success();
    auto diagnostic =
        op->emitOpError("expected its buffers to be written before it reads "
                        "them");
    diagnostic.attachNote(root.getLoc()) << "nothing has written this buffer";
    return failure();
  }

  LogicalResult verifyReads(StepOpInterface step,
                            const DenseSet<Value> &written) {
    for (Value read : step.getReads())
      if (failed(verifyRead(step, read, written)))
        return failure();
    return success();
  }

  LogicalResult verifyWrites(StepOpInterface step) {
    for (auto [w, write] : llvm::enumerate(step.getWrites())) {
      Value root = getRoot(write);
      if (root.getDefiningOp<InputOp>() || root.getDefiningOp<ConstantOp>())
        return step->emitOpError("expected to write states and allocations, "
                                 "but it writes an input or a constant");
      for (auto [r, read] : llvm::enumerate(step.getReads()))
        if (sameMemory(getRoot(read), root) && !step.canShare(symbols, r, w))
          return step->emitOpError("expected read ")
                 << r << " and write " << w
                 << " to be apart, because the step cannot work in place on "
                    "them";
      for (auto [other, value] :
           llvm::enumerate(step.getWrites().drop_front(w + 1)))
        if (sameMemory(getRoot(value), root))
          return step->emitOpError("expected writes ")
                 << w << " and " << w + 1 + other << " to be apart";
    }
    return success();
  }

  static bool sameMemory(Value a, Value b) {
    if (a == b)
      return true;
    auto stateA = a.getDefiningOp<StateOp>(),
         stateB = b.getDefiningOp<StateOp>();
    return stateA && stateB && stateA.getName() == stateB.getName();
  }

  EntryOp entry;
  const llvm::StringMap<StateDeclOp> &states;
  mlir::SymbolTableCollection &symbols;
  Liveness liveness;
};

struct VerifyExec final : exec::impl::VerifyExecBase<VerifyExec> {
  using Base::Base;

  FailureOr<llvm::StringMap<StateDeclOp>> verifyStates() {
    llvm::StringMap<StateDeclOp> states;
    int64_t end = 0;
    for (auto state : getOperation().getOps<StateDeclOp>()) {
      if (!states.try_emplace(state.getName(), state).second)
        return state.emitOpError("expected one state of each name, but '")
               << state.getName() << "' is declared twice";
      if (failed(verifyOffset(state, state.getOffset())))
        return failure();
      if (int64_t(*state.getOffset()) < end)
        return state.emitOpError("expected to start at or behind ")
               << end << ", where the state before ends, but got "
               << *state.getOffset();
      end = *state.getOffset() +
            getBytes(cast<mlir::MemRefType>(state.getType()));
    }
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
