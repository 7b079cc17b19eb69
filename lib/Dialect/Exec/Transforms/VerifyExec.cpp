// Gate of stage exec. Checks the plan from nothing but the planned program, so
// that a mistake of the planner is found here and not as a wrong number.
#include "MemoryReplay.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mpc/Dialect/Exec/Analysis/Liveness.h"
#include "mpc/Dialect/Exec/Analysis/MemoryMap.h"
#include "mpc/Dialect/Exec/Transforms/Passes.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

namespace mpc::exec {
#define GEN_PASS_DEF_VERIFYEXEC
#include "mpc/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace mpc::exec

using namespace mpc;
using namespace mpc::exec;

namespace {

/// Where `op`, of type `type`, ends in its block.
FailureOr<int64_t> verifyOffset(Operation *op, std::optional<uint64_t> offset,
                                Type type) {
  if (!offset)
    return op->emitOpError("expected an offset; run mpc-plan-buffers first");
  auto begin = static_cast<int64_t>(*offset);
  if (begin < 0 || begin % kAlignment != 0)
    return op->emitOpError("expected an offset of 0 or more that is a "
                           "multiple of ")
           << kAlignment << ", but got " << begin;
  int64_t end = addBytes(begin, getBytes(cast<mlir::MemRefType>(type)));
  if (end > kMaxModelBytes)
    return op->emitOpError("expected to end within 2^")
           << llvm::Log2_64(kMaxModelBytes) << " bytes, but got an offset of "
           << begin;
  return end;
}

/// Checks one entry.
class EntryVerifier {
public:
  EntryVerifier(EntryOp entry, const llvm::StringMap<StateDeclOp> &states,
                mlir::SymbolTableCollection &symbols)
      : entry(entry), states(states), symbols(symbols) {}

  LogicalResult run() {
    if (getArena() < 0)
      return entry.emitOpError("expected an arena of 0 or more bytes, but got ")
             << getArena();
    if (failed(verifyBuffers()))
      return failure();
    MemoryReplay memory;
    WorkUnderWay underWay(entry);
    for (auto step : entry.getOps<StepOpInterface>()) {
      if (StepOpInterface begun = step.getBegun()) {
        underWay.end(begun);
        for (Value write : begun.getWrites())
          memory.write(step, write);
        continue;
      }
      if (failed(underWay.verify(step)))
        return failure();
      for (Value read : step.getReads())
        if (failed(memory.read(step, read)))
          return failure();
      if (failed(verifyWrites(step)))
        return failure();
      if (underWay.begin(step))
        continue;
      for (Value write : step.getWrites())
        memory.write(step, write);
    }
    for (auto output : entry.getOps<OutputOp>())
      if (failed(memory.read(output, output.getValue())))
        return failure();
    return success();
  }

private:
  int64_t getArena() {
    return static_cast<int64_t>(entry.getArena().value_or(0));
  }

  LogicalResult verifyBuffers() {
    for (Operation &op : entry.getBody().front()) {
      if (auto update = dyn_cast<UpdateOp>(op))
        return update.emitOpError("expected no update in a planned entry; run "
                                  "mpc-plan-buffers first");
      auto state = dyn_cast<StateOp>(op);
      if (state && failed(verifyState(state)))
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
    FailureOr<int64_t> end =
        verifyOffset(alloc, alloc.getOffset(), alloc.getBuffer().getType());
    if (failed(end))
      return failure();
    if (*end > getArena())
      return alloc.emitOpError("expected to end within the arena of ")
             << getArena() << " bytes, but it ends at " << *end;
    return success();
  }

  /// Whole buffers, or parts that are known to lie apart and make up all.
  static LogicalResult verifyWhole(StepOpInterface step) {
    llvm::MapVector<Value, int64_t> written;
    auto elementsOf = [](Value buffer) {
      return cast<mlir::MemRefType>(buffer.getType()).getNumElements();
    };
    for (Value write : step.getWrites())
      written[getViewed(write)] += elementsOf(write);
    for (auto [buffer, elements] : written)
      if (elements != elementsOf(buffer))
        return step->emitOpError("expected to write all of a buffer, but it "
                                 "writes ")
               << elements << " elements of " << buffer.getType();
    return success();
  }

  struct Access {
    Memory memory;
    bool writes;
    unsigned number; ///< Among the reads or the writes of the step.
  };

  /// Two accesses of one step, `a` before `b` in memory.
  LogicalResult verifyApart(StepOpInterface step, const Access &a,
                            const Access &b) {
    if (!(a.writes || b.writes) || !a.memory.overlaps(b.memory))
      return success();
    const Access &first = a.writes && !b.writes ? b : a;
    const Access &second = &first == &a ? b : a;
    if (first.writes) {
      auto [least, most] = std::minmax(a.number, b.number);
      if (areParts(step.getWrites()[least], step.getWrites()[most]))
        return success();
      return step->emitOpError("expected writes ")
             << least << " and " << most << " to be apart";
    }
    if (first.memory == second.memory &&
        step.canShare(symbols, first.number, second.number))
      return success();
    return step->emitOpError("expected read ")
           << first.number << " and write " << second.number
           << " to be apart, because the step cannot work in place on them";
  }

  /// A multi-tensor step reads and writes thousands: only those that overlap
  /// are compared, along the work block and state by state.
  LogicalResult verifyWrites(StepOpInterface step) {
    SmallVector<Access> work;
    llvm::StringMap<SmallVector<Access, 2>> ofState;
    auto add = [&](ValueRange buffers, bool writes) {
      for (auto [number, buffer] : llvm::enumerate(buffers)) {
        Access access{Memory::of(buffer), writes, unsigned(number)};
        if (writes && !access.memory.isWritable())
          return failure();
        if (access.memory.block == Memory::Block::Work)
          work.push_back(access);
        else if (access.memory.block == Memory::Block::State)
          ofState[access.memory.state].push_back(access);
      }
      return success();
    };
    if (failed(add(step.getReads(), false)) ||
        failed(add(step.getWrites(), true)))
      return step->emitOpError("expected to write states and allocations, "
                               "but it writes an input or a constant");
    for (auto &[name, accesses] : ofState)
      for (size_t i = 0; i < accesses.size(); ++i)
        for (size_t j = 0; j < i; ++j)
          if (failed(verifyApart(step, accesses[j], accesses[i])))
            return failure();
    llvm::sort(work, [](const Access &a, const Access &b) {
      return std::tuple(a.memory.begin, a.writes, a.number) <
             std::tuple(b.memory.begin, b.writes, b.number);
    });
    SmallVector<Access> open; ///< That may reach what comes next.
    for (const Access &access : work) {
      llvm::erase_if(open, [&](const Access &before) {
        return before.memory.end <= access.memory.begin;
      });
      for (const Access &before : open)
        if (failed(verifyApart(step, before, access)))
          return failure();
      open.push_back(access);
    }
    return verifyWhole(step);
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
      FailureOr<int64_t> ownEnd = verifyOffset(state, state.getOffset(), type);
      if (failed(ownEnd) ||
          failed(table.add(state.getFacts(), type, state.getLoc())))
        return failure();
      if (static_cast<int64_t>(*state.getOffset()) < end)
        return state.emitOpError("expected to start at or after ")
               << end << ", where the state before ends, but got "
               << *state.getOffset();
      end = *ownEnd;
    }
    if (failed(table.verifyOwners()))
      return failure();
    return states;
  }

  /// Constants share bytes where they are equal, and nowhere else.
  LogicalResult verifyConstants() {
    struct Placed {
      int64_t begin, end;
      size_t number; ///< In the module.
      ConstantOp constant;
    };
    SmallVector<Placed> placed;
    for (auto entry : getOperation().getOps<EntryOp>())
      for (auto constant : entry.getOps<ConstantOp>()) {
        FailureOr<int64_t> end = verifyOffset(constant, constant.getOffset(),
                                              constant.getBuffer().getType());
        if (failed(end))
          return failure();
        placed.push_back({static_cast<int64_t>(*constant.getOffset()), *end,
                          placed.size(), constant});
      }
    llvm::sort(placed, [](const Placed &a, const Placed &b) {
      return std::tuple(a.begin, a.number) < std::tuple(b.begin, b.number);
    });
    for (size_t next = 1; next < placed.size(); ++next) {
      Placed &a = placed[next - 1], &b = placed[next];
      bool isShared = a.begin == b.begin &&
                      a.constant.getValueAttr() == b.constant.getValueAttr();
      if (b.begin >= a.end || isShared)
        continue;
      auto error = b.constant.emitOpError("expected to lie apart from other "
                                          "constants, but got an offset of ")
                   << b.begin;
      error.attachNote(a.constant.getLoc()) << "this one ends at " << a.end;
      return failure();
    }
    return success();
  }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(mlir::verify(getOperation())))
      return signalPassFailure();
    mlir::SymbolTableCollection symbols;
    auto states = verifyStates();
    if (failed(states) || failed(verifyConstants()))
      return signalPassFailure();
    for (auto entry : getOperation().getOps<EntryOp>())
      if (failed(EntryVerifier(entry, *states, symbols).run()))
        return signalPassFailure();
    if (failed(verifyMemoryLimit()))
      signalPassFailure();
  }

  /// A program tells the limit to its users, so it must be true of a module
  /// that brings one along, too.
  LogicalResult verifyMemoryLimit() {
    auto facts = getOperation()->getAttrOfType<mlir::DictionaryAttr>(
        graph::kMemoryLimitAttr);
    if (!facts)
      return success();
    auto limit = facts.getAs<mlir::IntegerAttr>("limit");
    MemoryMap map = MemoryMap::get(getOperation());
    if (map.totalBytes() <= limit.getInt())
      return success();
    return getOperation()->emitError()
           << "expected to need no more than the " << limit.getInt()
           << " bytes of '" << graph::kMemoryLimitAttr << "', but got "
           << map.totalBytes() << "; --memory-limit=" << limit.getInt()
           << " says what can be done";
  }
};

} // namespace
