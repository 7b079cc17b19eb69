// A result may take the place of an operand that nobody reads again: one buffer
// less in flight, and one pointer less in the kernel's working set.
#include "Planning.h"
#include "mpc/Dialect/Exec/Analysis/Liveness.h"

using namespace mpc;
using namespace mpc::exec;

namespace {

class Reuser {
public:
  Reuser(EntryOp entry, mlir::SymbolTableCollection &symbols)
      : symbols(symbols), liveness(entry) {
    for (const LiveBuffer &live : liveness.buffers())
      liveOf[live.alloc] = live;
    int64_t time = 0;
    for (StepOpInterface step : liveness.steps()) {
      if (StepOpInterface begun = step.getBegun())
        endOf[begun] = time;
      else
        for (Value read : step.getReads())
          lastRead[getRoot(read)] = time;
      ++time;
    }
    for (StepOpInterface step : liveness.steps())
      if (endOf.contains(step))
        for (Value read : step.getReads())
          begunOn[getRoot(read)].push_back(step);
  }

  void run() {
    int64_t time = 0;
    for (StepOpInterface step : liveness.steps()) {
      findRoots(step);
      for (unsigned w = 0, e = step.getWrites().size(); w < e; ++w)
        reuse(step, w, time);
      ++time;
    }
  }

private:
  /// A multi-tensor step is asked about each pair of hundreds of buffers.
  void findRoots(StepOpInterface step) {
    reads = llvm::map_to_vector(step.getReads(), getRoot);
    writes = llvm::map_to_vector(step.getWrites(), getRoot);
  }

  /// Whether nothing wants the value of `dying` once `step` is done with it,
  /// which is later than `time` if the step goes on beside others.
  bool diesIn(StepOpInterface step, AllocOp dying, int64_t time) const {
    const LiveBuffer &live = liveOf.find(dying)->second;
    auto end = endOf.find(step);
    if (end == endOf.end())
      return live.last == time;
    return live.last == end->second && lastRead.lookup(dying) <= time &&
           !isUnderWay(step, dying, time);
  }

  /// Whether a step that has begun before `step`, and goes on, reads `buffer`:
  /// two parameters may have one gradient, and be in two buckets.
  bool isUnderWay(StepOpInterface step, AllocOp buffer, int64_t time) const {
    auto begun = begunOn.find(buffer);
    return begun != begunOn.end() &&
           llvm::any_of(begun->second, [&](Operation *other) {
             return other != step && endOf.lookup(other) > time;
           });
  }

  /// Whether `write` may lie on `buffer`, whichever operands that buffer is.
  bool canShare(StepOpInterface step, Value buffer, unsigned write) {
    for (auto [r, read] : llvm::enumerate(reads))
      if (read == buffer && !step.canShare(symbols, r, write))
        return false;
    for (auto [w, other] : llvm::enumerate(writes))
      if (w != write && other == buffer)
        return false; // taken by another result
    return true;
  }

  void reuse(StepOpInterface step, unsigned write, int64_t time) {
    auto result = writes[write].getDefiningOp<AllocOp>();
    if (!result || liveOf.lookup(result).first != time)
      return;
    for (Value read : reads) {
      auto dying = read.getDefiningOp<AllocOp>();
      if (!dying || dying == result)
        continue;
      if (liveOf.find(dying)->second.first == time ||
          !diesIn(step, dying, time) ||
          getBytes(dying.getBuffer().getType()) !=
              getBytes(result.getBuffer().getType()) ||
          !canShare(step, dying, write))
        continue;
      merge(dying, result);
      return findRoots(step);
    }
  }

  void merge(AllocOp dying, AllocOp result) {
    LiveBuffer &live = liveOf.find(dying)->second;
    live.last = liveOf.find(result)->second.last;
    int64_t &read = lastRead[dying];
    read = std::max(read, lastRead.lookup(result));
    if (auto begun = begunOn.find(result); begun != begunOn.end()) {
      SmallVector<Operation *> ofResult = std::move(begun->second);
      begunOn.erase(result);
      llvm::append_range(begunOn[dying], ofResult);
    }
    if (result.getCategory() &&
        (!dying.getCategory() || *result.getCategory() > *dying.getCategory()))
      dying.setCategoryAttr(result.getCategoryAttr());
    if (result->isBeforeInBlock(dying)) // what views it may stand before, too
      dying->moveBefore(result);
    OpBuilder builder(result);
    Value renewed = RenewOp::create(builder, result.getLoc(),
                                    result.getBuffer().getType(), dying);
    liveOf.erase(result);
    result.getBuffer().replaceAllUsesWith(renewed);
    result.erase();
  }

  mlir::SymbolTableCollection &symbols;
  Liveness liveness;
  DenseMap<Operation *, LiveBuffer> liveOf;
  DenseMap<Operation *, int64_t> endOf; ///< Of steps that go on beside others.
  DenseMap<Value, int64_t> lastRead;    ///< By a step that does not only wait.
  /// Steps that go on beside others, by what they read.
  DenseMap<Value, SmallVector<Operation *>> begunOn;
  SmallVector<Value> reads, writes; ///< The roots, of the step at hand.
};

} // namespace

void exec::reuseDyingBuffers(EntryOp entry,
                             mlir::SymbolTableCollection &symbols) {
  Reuser(entry, symbols).run();
}
