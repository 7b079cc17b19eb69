// Arguments and results of a graph function as states, inputs, outputs and
// updates of an entry.
#include "EntryBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/States.h"

using namespace mpc;
using mlir::func::FuncOp;

namespace {

StringAttr nameOf(FuncOp func, unsigned argument, StringRef mark) {
  return graph::getName(func.getArgAttr(argument, mark));
}

/// The state that argument `index` of `func` is, or null.
StringAttr stateName(FuncOp func, unsigned index) {
  std::optional<graph::StateFacts> state = graph::getStateFacts(func, index);
  return state ? state->name : StringAttr();
}

} // namespace

void mpc::declareStates(ArrayRef<FuncOp> entries, OpBuilder &builder) {
  llvm::SmallDenseSet<StringAttr> declared;
  for (FuncOp func : entries)
    for (mlir::BlockArgument argument : func.getArguments()) {
      std::optional<graph::StateFacts> state =
          graph::getStateFacts(func, argument.getArgNumber());
      if (!state || !declared.insert(state->name).second)
        continue;
      exec::StateDeclOp::create(
          builder, argument.getLoc(), state->name,
          graph::RoleAttr::get(func.getContext(), state->role), state->of,
          state->init, mlir::TypeAttr::get(bufferType(argument.getType())),
          mlir::IntegerAttr());
    }
}

LogicalResult mpc::convertArguments(FuncOp func, EntryBuilder &entry) {
  for (auto [i, argument] : llvm::enumerate(func.getArguments())) {
    entry.builder.setLoc(argument.getLoc());
    mlir::MemRefType type = bufferType(argument.getType());
    Value buffer;
    if (StringAttr state = stateName(func, i))
      buffer = exec::StateOp::create(entry.builder, type, state);
    else if (StringAttr input = nameOf(func, i, graph::kInputAttr))
      buffer = exec::InputOp::create(
          entry.builder, type, input, func.getArgAttr(i, graph::kClassesAttr),
          func.getArgAttr(i, graph::kLossOnlyAttr) != nullptr);
    else
      return func.emitError("expected argument ")
             << i << " to be marked '" << graph::kInputAttr << "', '"
             << graph::kParameterAttr << "' or '" << graph::kStateAttr
             << "', but it has no mark";
    entry.bind(argument, buffer);
  }
  return success();
}

namespace {

/// Writes down the results of one entry.
class ResultConverter {
public:
  ResultConverter(FuncOp func, EntryBuilder &entry)
      : func(func), entry(entry) {}

  LogicalResult run() {
    Operation *exit = func.getBody().front().getTerminator();
    entry.builder.setLoc(exit->getLoc());
    for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
      if (auto name =
              func.getResultAttrOfType<StringAttr>(i, graph::kUpdatesAttr))
        update(name, entry.buffer(exit->getOperand(i)));
    for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
      if (failed(output(i, entry.buffer(exit->getOperand(i)))))
        return failure();
    return success();
  }

private:
  /// The next value is made in place, so it must be memory of its own.
  void update(StringAttr name, Value next) {
    Operation *root = exec::getRoot(next).getDefiningOp();
    auto state = dyn_cast<exec::StateOp>(root);
    if (state && state.getNameAttr() == name)
      return;
    if (!isa<exec::AllocOp>(root) || !taken.insert(root).second) {
      next = entry.copyOf(next);
      taken.insert(next.getDefiningOp());
    }
    exec::UpdateOp::create(entry.builder, name, next);
    updated.insert(name);
  }

  /// Outputs stay where they are until the next run: not in the caller's
  /// memory, and not in a state that this entry overwrites.
  LogicalResult output(unsigned index, Value value) {
    auto name = func.getResultAttrOfType<StringAttr>(index, graph::kOutputAttr);
    if (func.getResultAttr(index, graph::kLossAttr))
      name = entry.builder.getStringAttr("loss");
    if (!name && !func.getResultAttr(index, graph::kUpdatesAttr))
      return func.emitError("expected result ")
             << index << " to be marked '" << graph::kLossAttr << "', '"
             << graph::kOutputAttr << "' or '" << graph::kUpdatesAttr
             << "', but it has no mark";
    if (!name)
      return success();
    Operation *root = exec::getRoot(value).getDefiningOp();
    auto state = dyn_cast<exec::StateOp>(root);
    if (isa<exec::InputOp>(root) ||
        (state && updated.contains(state.getNameAttr())))
      value = entry.copyOf(value);
    exec::OutputOp::create(entry.builder, name, value);
    return success();
  }

  FuncOp func;
  EntryBuilder &entry;
  llvm::SmallDenseSet<Operation *> taken;
  llvm::SmallDenseSet<StringAttr> updated;
};

} // namespace

LogicalResult mpc::convertResults(FuncOp func, EntryBuilder &entry) {
  return ResultConverter(func, entry).run();
}
