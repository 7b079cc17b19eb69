// Who reads the old value of a state must run before its next value is made in
// the same memory. The given order is kept wherever nothing forces another:
// among the steps that are ready, the first of the given order runs next.
#include "mpc/Support/Assert.h"

#include "Planning.h"
#include "StepDependencies.h"
#include "mlir/IR/Remarks.h"
#include <map>
#include <queue>

using namespace mpc;
using namespace mpc::exec;

namespace {

/// One update: the step that makes the next value, and those that read the old.
struct Update {
  UpdateOp op;
  unsigned writer;
  SmallVector<unsigned> readers;
};

/// Where a step reads states and writes values. Made once per step: lists make
/// the next values of thousands.
struct Accesses {
  explicit Accesses(StepOpInterface step);
  llvm::StringMap<SmallVector<unsigned, 1>> reads; ///< By state.
  DenseMap<Value, SmallVector<unsigned, 1>> writes;
};

class Scheduler {
public:
  Scheduler(EntryOp entry, mlir::SymbolTableCollection &symbols)
      : entry(entry), symbols(symbols) {}

  LogicalResult run();

private:
  void collectSteps();
  void insertCopies();
  void copyToState(UpdateOp update, StepOpInterface writer, StringRef reason);
  void copyLateStates();
  bool sharesWithState(StepOpInterface step, const Accesses &accesses,
                       UpdateOp update);
  void addDependencies() { followers = findFollowers(steps); }
  LogicalResult collectUpdates();
  bool isOrdered() const;
  LogicalResult sort();
  LogicalResult reportCycle(ArrayRef<unsigned> open);
  bool reaches(unsigned from, unsigned to) const;
  void layOut(ArrayRef<unsigned> order);

  EntryOp entry;
  mlir::SymbolTableCollection &symbols;
  SmallVector<StepOpInterface> steps;
  /// Steps that must run after step i, from the values they exchange.
  StepLists followers;
  SmallVector<Update> updates;
};

std::optional<StringRef> stateOf(Value buffer) {
  if (auto state = getRoot(buffer).getDefiningOp<StateOp>())
    return state.getName();
  return std::nullopt;
}

void Scheduler::collectSteps() {
  steps.assign(entry.getOps<StepOpInterface>().begin(),
               entry.getOps<StepOpInterface>().end());
}

Accesses::Accesses(StepOpInterface step) {
  for (auto [w, write] : llvm::enumerate(step.getWrites()))
    writes[getRoot(write)].push_back(w);
  for (auto [r, read] : llvm::enumerate(step.getReads()))
    if (std::optional<StringRef> state = stateOf(read))
      reads[*state].push_back(r);
}

/// Whether `step`, which makes the next value, may do so in the state's memory.
bool Scheduler::sharesWithState(StepOpInterface step, const Accesses &accesses,
                                UpdateOp update) {
  auto writes = accesses.writes.lookup(getRoot(update.getValue()));
  return llvm::all_of(accesses.reads.lookup(update.getName()),
                      [&](unsigned read) {
                        return llvm::all_of(writes, [&](unsigned write) {
                          return step.canShare(symbols, read, write);
                        });
                      });
}

void Scheduler::insertCopies() {
  DenseMap<Value, StepOpInterface> writerOf;
  for (StepOpInterface step : steps)
    for (Value write : step.getWrites())
      writerOf.try_emplace(getRoot(write), step);
  std::map<Operation *, Accesses> accesses;
  for (auto update : entry.getOps<UpdateOp>()) {
    StepOpInterface writer = writerOf.lookup(getRoot(update.getValue()));
    if (!writer)
      continue;
    auto known = accesses.try_emplace(writer, writer).first;
    if (sharesWithState(writer, known->second, update))
      continue;
    copyToState(update, writer,
                "the step reads the state in another order than it writes its "
                "next value");
  }
  collectSteps();
}

/// The next value gets memory of its own, and is copied to the state last.
void Scheduler::copyToState(UpdateOp update, StepOpInterface writer,
                            StringRef reason) {
  mlir::remark::missed(writer.getLoc(),
                       mlir::remark::RemarkOpts::name("update-by-copy")
                           .category("mpc-plan-buffers"))
      << mlir::remark::metric("state", update.getName())
      << mlir::remark::reason("{0}", reason);
  OpBuilder builder(update);
  Value copy =
      AllocOp::create(builder, update.getLoc(), update.getValue().getType(),
                      CategoryAttr(), mlir::IntegerAttr());
  CopyOp::create(builder, update.getLoc(), update.getValue(), copy);
  update.getValueMutable().assign(copy);
}

/// A state whose old value is asked for by a step that needs what else the
/// maker of its next value makes: no order will do. A counter or rate, or a
/// parameter that a model is linear in, whose gradient waits for nothing.
void Scheduler::copyLateStates() {
  bool copied = false;
  for (Update &update : updates) {
    bool isLate = llvm::any_of(update.readers, [&](unsigned reader) {
      return reader != update.writer && reaches(update.writer, reader);
    });
    if (!isLate)
      continue;
    copyToState(update.op, steps[update.writer],
                "the state is read after the step that makes its next value");
    copied = true;
  }
  if (!copied)
    return;
  collectSteps();
  updates.clear();
}

LogicalResult Scheduler::collectUpdates() {
  DenseMap<Value, unsigned> writerOf;
  llvm::StringMap<SmallVector<unsigned>> readersOf;
  for (auto [i, step] : llvm::enumerate(steps)) {
    for (Value write : step.getWrites())
      writerOf.try_emplace(getRoot(write), i);
    for (Value read : step.getReads())
      if (std::optional<StringRef> state = stateOf(read))
        readersOf[*state].push_back(i);
  }
  llvm::StringMap<UpdateOp> seen;
  DenseMap<Value, UpdateOp> taken;
  for (auto update : entry.getOps<UpdateOp>()) {
    Value root = getRoot(update.getValue());
    auto writer = writerOf.find(root);
    if (!root.getDefiningOp<AllocOp>() || writer == writerOf.end())
      return update.emitOpError("expected the next value of '")
             << update.getName() << "' to be an allocation that a step writes";
    auto [sameState, isNewState] = seen.try_emplace(update.getName(), update);
    auto [sameValue, isNewValue] = taken.try_emplace(root, update);
    if (!isNewState || !isNewValue) {
      auto diagnostic = update.emitOpError("expected one update per state and "
                                           "one state per value, but state '")
                        << update.getName() << "' meets another update";
      diagnostic.attachNote(
          (isNewState ? sameValue->second : sameState->second).getLoc())
          << "the other update is here";
      return failure();
    }
    updates.push_back(
        {update, writer->second, readersOf.lookup(update.getName())});
  }
  return success();
}

bool Scheduler::isOrdered() const {
  return llvm::all_of(updates, [](const Update &update) {
    return llvm::all_of(update.readers, [&](unsigned reader) {
      return reader <= update.writer;
    });
  });
}

bool Scheduler::reaches(unsigned from, unsigned to) const {
  llvm::SmallDenseSet<unsigned> seen{from};
  SmallVector<unsigned> open{from};
  while (!open.empty())
    for (unsigned next : followers[open.pop_back_val()]) {
      if (next == to)
        return true;
      if (seen.insert(next).second)
        open.push_back(next);
    }
  return false;
}

/// Names a step that reads an old value although it needs the new one's maker;
/// in a larger knot, any of the steps in `open` that read an old value late.
LogicalResult Scheduler::reportCycle(ArrayRef<unsigned> open) {
  Update *culprit = nullptr;
  unsigned reader = 0;
  for (bool exact : {true, false})
    for (Update &update : updates)
      for (unsigned r : update.readers)
        if (!culprit && r != update.writer && llvm::is_contained(open, r) &&
            (exact ? reaches(update.writer, r) : r > update.writer)) {
          culprit = &update;
          reader = r;
        }
  MPC_ASSERT(culprit, "only updates can close a cycle");
  auto diagnostic = steps[reader]->emitError("state '")
                    << culprit->op.getName()
                    << "' is read here after its next value was made in its "
                       "memory";
  diagnostic.attachNote(steps[culprit->writer]->getLoc())
      << "the next value is made here, and what is read there depends on it; "
         "use the value before the update, or the updated one";
  return failure();
}

LogicalResult Scheduler::sort() {
  auto edges = followers;
  for (const Update &update : updates)
    for (unsigned reader : update.readers)
      if (reader != update.writer)
        edges[reader].push_back(update.writer);
  SmallVector<unsigned> missing(steps.size(), 0);
  for (ArrayRef<unsigned> targets : edges)
    for (unsigned target : targets)
      ++missing[target];

  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned i = 0; i < steps.size(); ++i)
    if (missing[i] == 0)
      ready.push(i);
  SmallVector<unsigned> order;
  while (!ready.empty()) {
    unsigned next = ready.top();
    ready.pop();
    order.push_back(next);
    for (unsigned target : edges[next])
      if (--missing[target] == 0)
        ready.push(target);
  }
  if (order.size() != steps.size()) {
    SmallVector<unsigned> open;
    for (unsigned i = 0; i < steps.size(); ++i)
      if (missing[i] != 0)
        open.push_back(i);
    return reportCycle(open);
  }
  layOut(order);
  return success();
}

/// Buffers, then steps in `order`, then updates and outputs.
void Scheduler::layOut(ArrayRef<unsigned> order) {
  Block &body = entry.getBody().front();
  SmallVector<Operation *> ends;
  for (Operation &op : body)
    if (isa<UpdateOp, OutputOp>(op))
      ends.push_back(&op);
  for (unsigned i : order)
    steps[i]->moveBefore(&body, body.end());
  for (Operation *op : ends)
    op->moveBefore(&body, body.end());
}

LogicalResult Scheduler::run() {
  collectSteps();
  insertCopies();
  if (failed(collectUpdates()))
    return failure();
  if (isOrdered()) {
    layOut(llvm::to_vector(llvm::seq(0u, unsigned(steps.size()))));
    return success();
  }
  addDependencies();
  copyLateStates();
  if (updates.empty()) { // Copies were put in: look again.
    if (failed(collectUpdates()))
      return failure();
    addDependencies();
  }
  return sort();
}

} // namespace

LogicalResult exec::orderForUpdates(EntryOp entry,
                                    mlir::SymbolTableCollection &symbols) {
  return Scheduler(entry, symbols).run();
}
