// Gate of stage import: a module holds one model, its arguments and results are
// marked, no name is taken, every parameter says how it starts and is reached
// or warned about, and its tensors together are within the limit of bytes. Ops
// of other dialects are welcome if they implement the interfaces that passes
// ask; private functions are implementations of custom ops.
// (That marks are well formed and unique is checked by the dialect.)
// Functions that are already entries come from a later stage and are left
// alone.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mpc/Dialect/Graph/IR/Names.h"
#include "mpc/Dialect/Graph/IR/Ops/Region.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Transforms/Implementations.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"

namespace mpc::graph {
#define GEN_PASS_DEF_VERIFYIMPORT
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

static bool contains(ArrayRef<std::string_view> words, StringRef name) {
  return llvm::is_contained(words, std::string_view(name));
}

/// Names that later stages give to what they add. The loss is the model's.
static bool isReservedOutput(StringRef name) {
  // Who asks for gradients learns whether their names are free.
  StringRef word = findWord(name, program::kOutputWords);
  return (name != StringRef(program::kLossOutput) &&
          contains(program::kStepOutputs, name)) ||
         (!word.empty() && word != "gradient");
}
static bool isReservedState(StringRef name) {
  return contains(program::kCounterStates, name) ||
         !findWord(name, kStateWords).empty();
}

/// A running statistic is the one state that a model has itself.
static LogicalResult
checkModelState(StateAttr state, unsigned index,
                function_ref<InFlightDiagnostic()> emitError) {
  if (state.getRole() != Role::RunningStatistic)
    return emitError()
           << "expected argument #" << index
           << " to be marked as one of graph.input and graph.parameter, but "
              "got "
           << state
           << ": models have no states but running statistics, later stages "
              "add "
              "those of the step; what it only reads is a parameter marked "
              "graph.frozen";
  if (isReservedState(state.getName()))
    return emitError()
           << "expected another name for running statistic '"
           << state.getName().getValue()
           << "': the training step keeps state of its own under it";
  if (state.getInit())
    return success();
  return emitError() << "expected running statistic '"
                     << state.getName().getValue()
                     << "' to say how it starts, by init #graph.zeros or "
                        "#graph.fill<value>";
}

static LogicalResult checkArguments(FuncOp func) {
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i) {
    auto input = func.getArgAttrOfType<StringAttr>(i, kInputAttr);
    auto parameter = func.getArgAttrOfType<StringAttr>(i, kParameterAttr);
    // Where the argument stands; signatures of models have many lines.
    auto emitError = [&] {
      return mlir::emitError(func.getArgument(i).getLoc());
    };
    if (auto state = func.getArgAttrOfType<StateAttr>(i, kStateAttr)) {
      if (failed(checkModelState(state, i, emitError)))
        return failure();
      continue;
    }
    if (!input && !parameter)
      return emitError()
             << "expected argument #" << i
             << " to be marked as one of graph.input and graph.parameter, with "
                "a name, but got neither";
    if (!parameter)
      continue;
    if (isReservedState(parameter))
      return emitError()
             << "expected another name for parameter '" << parameter.getValue()
             << "': the training step keeps state of its own under it";
    Type element = mlir::getElementTypeOrSelf(func.getArgumentTypes()[i]);
    if (!element.isF32() && !element.isF64())
      return emitError()
             << "expected parameter '" << parameter.getValue()
             << "' to be f32 or f64, the type of master weights, but got "
             << func.getArgumentTypes()[i] << "; precision casts it";
    if (!func.getArgAttr(i, kInitAttr))
      return emitError()
             << "expected parameter '" << parameter.getValue()
             << "' to say how it starts, by " << kInitAttr
             << " = #graph.zeros, #graph.fill<value>, #graph.normal<mean, "
                "stddev> or #graph.uniform<low, high>; weights that come from "
                "a file replace it";
  }
  return success();
}

/// One of several losses becomes an output of its name; "loss" is their sum.
static LogicalResult checkLossName(FuncOp func, StringAttr loss) {
  bool isTaken = loss == "loss" || isReservedOutput(loss);
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    isTaken |= func.getResultAttr(i, kOutputAttr) == loss &&
               func.getResultAttr(i, kLossAttr) != loss;
  if (!isTaken)
    return success();
  return func.emitError() << "expected another name for loss '"
                          << loss.getValue()
                          << "': an output of this name exists";
}

/// What is meant for the graph dialect, but has no "graph." in front, would be
/// read by nobody.
static LogicalResult checkAttributes(FuncOp func) {
  for (mlir::NamedAttribute attribute : func->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (!name.contains('.') &&
        isa<GraphDialect>(attribute.getValue().getDialect()))
      return func.emitError()
             << "expected 'graph." << name << "', but got '" << name
             << "', which nobody reads: attributes of the graph dialect have "
                "its name in front";
  }
  return success();
}

static LogicalResult checkResults(FuncOp func) {
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i) {
    bool isLoss = static_cast<bool>(func.getResultAttr(i, kLossAttr));
    auto output = func.getResultAttrOfType<StringAttr>(i, kOutputAttr);
    if (auto loss = func.getResultAttrOfType<StringAttr>(i, kLossAttr);
        loss && failed(checkLossName(func, loss)))
      return failure();
    if (!isLoss && !output)
      return func.emitError() << "expected result #" << i
                              << " to be marked graph.loss or graph.output, "
                                 "but got neither";
    if (output && output.getValue() == "loss" && lossResult(func))
      return func.emitError() << "expected another name for output 'loss': the "
                                 "result that is marked graph.loss has it";
    if (output && isReservedOutput(output))
      return func.emitError()
             << "expected another name for output '" << output.getValue()
             << "': the training step has an output of this name";
  }
  return success();
}

/// Names that the step needs for parameter group `group` must be free.
static LogicalResult checkGroupNames(FuncOp func, StringRef group) {
  auto isTaken = [&](StringRef name, ArrayRef<std::string_view> words) {
    return name.consume_front(group) && name.consume_front(".") &&
           contains(words, name);
  };
  for (StringRef mark : {kParameterAttr, kInputAttr, kStateAttr})
    for (const Marked &argument : markedArguments(func, mark))
      if (isTaken(argument.name, kGroupStates))
        return mlir::emitError(argument.value.getLoc())
               << "expected another name for '" << argument.name.getValue()
               << "': parameter group '" << group << "' keeps state under it";
  for (StringRef mark : {kOutputAttr, kLossAttr})
    for (const Marked &result : markedResults(func, mark))
      if (isTaken(result.name, program::kGroupOutputs))
        return func.emitError()
               << "expected another name for output '" << result.name.getValue()
               << "': parameter group '" << group
               << "' has an output of this name";
  return success();
}

static LogicalResult checkGroupNames(FuncOp func) {
  auto training = func->getAttrOfType<TrainingAttr>(kTrainingAttr);
  if (!training || !training.getGroups())
    return success();
  for (auto group : training.getGroups().getAsRange<ParameterGroupAttr>())
    if (failed(checkGroupNames(func, group.getName())))
      return failure();
  return success();
}

/// Sums of bytes in later stages are sums of these, a few times over.
static LogicalResult checkTotalBytes(FuncOp func) {
  int64_t total = 0;
  auto add = [&](TypeRange types) {
    for (Type type : types)
      if (auto shaped = dyn_cast<mlir::ShapedType>(type);
          shaped && shaped.getElementType().isIntOrFloat())
        total = addBytes(total, getStoredBytes(shaped));
    return total <= kMaxModelBytes;
  };
  auto report = [](InFlightDiagnostic error) -> LogicalResult {
    return error << "expected the tensors of a model to have at most 2^"
                 << llvm::Log2_64(kMaxModelBytes)
                 << " bytes together, but those up to here have more";
  };
  if (!add(func.getArgumentTypes()))
    return report(func.emitError());
  for (Operation &op : func.getBody().front())
    if (!add(op.getResultTypes()))
      return report(op.emitError());
  return success();
}

/// An op of another dialect must say what later passes ask: at which precision
/// it runs, how it becomes a kernel; and it may do nothing else.
static LogicalResult checkForeignOp(Operation &op) {
  if (!isa<AutocastOpInterface>(op))
    return op.emitError()
           << "expected an op of the graph dialect, or one that says at which "
              "precision it may run (AutocastOpInterface), but got '"
           << op.getName()
           << "'; implement the interface, or write the op as a function of "
              "graph ops and call it by graph.custom";
  if (!isa<KernelBodyOpInterface, ReductionOpInterface, MovementOpInterface,
           DecomposableOpInterface>(op))
    return op.emitError()
           << "expected '" << op.getName()
           << "' to say how it is executed: KernelBodyOpInterface, "
              "ReductionOpInterface, MovementOpInterface or "
              "DecomposableOpInterface";
  if (!mlir::isPure(&op))
    return op.emitError() << "expected '" << op.getName()
                          << "' to have no side effects (the trait Pure)";
  return verifyTensorBytes(&op);
}

static LogicalResult checkBody(FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitError() << "expected a model to be one block, but got "
                            << func.getBody().getBlocks().size();
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (isa<AutocastRegionOp>(op))
      return op.emitError() << "expected no frames of autocast regions; run "
                               "mpc-inline-regions first";
    if (!isa_and_present<GraphDialect>(op.getDialect()) &&
        failed(checkForeignOp(op)))
      return failure();
  }
  return success();
}

/// With a loss, mpc-differentiate knows more and warns.
static void warnUnreached(FuncOp func) {
  if (lossResult(func))
    return;
  SmallVector<Value> worklist(
      func.getBody().front().getTerminator()->getOperands());
  DenseSet<Value> reached;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (reached.insert(value).second && value.getDefiningOp())
      llvm::append_range(worklist, value.getDefiningOp()->getOperands());
  }
  for (const Marked &parameter : markedArguments(func, kParameterAttr))
    if (!reached.contains(parameter.value))
      func.emitWarning() << "parameter '" << parameter.name.getValue()
                         << "' reaches no result";
}

/// What stands beside the functions would be left as it is by every pass.
static LogicalResult checkStrays(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (!isa<FuncOp>(op))
      return op.emitError() << "expected functions alone in a module, but got '"
                            << op.getName() << "'";
  return success();
}

/// What later stages say of what they have done, a model cannot know.
static LogicalResult checkClaims(ModuleOp module) {
  if (!module->hasAttr(kMemoryLimitAttr))
    return success();
  return module.emitError()
         << "expected no '" << kMemoryLimitAttr
         << "' at a model, since it says what was done to keep a limit: give "
            "one by --memory-limit";
}

namespace {
struct VerifyImport final : impl::VerifyImportBase<VerifyImport> {
  using Base::Base;
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(mlir::verify(getOperation())) ||
        failed(checkStrays(getOperation())))
      return signalPassFailure();
    FuncOp model;
    for (auto func : getOperation().getOps<FuncOp>()) {
      if (func->hasAttr(kEntryAttr))
        return;
      if (isImplementation(func)) {
        if (failed(checkBody(func)))
          return signalPassFailure();
        continue;
      }
      if (func.isExternal() || !isModelFunction(func)) {
        func.emitError() << "expected every function to be a model with marked "
                            "arguments, but got '"
                         << func.getName() << "'";
        return signalPassFailure();
      }
      if (model) {
        auto error = func.emitError() << "expected one model in a module, but "
                                         "got another one, '"
                                      << func.getName() << "'";
        error.attachNote(model.getLoc()) << "the first one";
        return signalPassFailure();
      }
      model = func;
    }
    if (!model) {
      getOperation().emitError("expected a model, but the module is empty");
      return signalPassFailure();
    }
    auto error = [&] { return model.emitError(); };
    if (failed(verifyName(model.getName(), "the model's name", error)) ||
        failed(checkClaims(getOperation())) || failed(checkBody(model)) ||
        failed(checkTotalBytes(model)) || failed(checkAttributes(model)) ||
        failed(checkArguments(model)) || failed(checkResults(model)) ||
        failed(checkGroupNames(model)))
      return signalPassFailure();
    warnUnreached(model);
  }
};
} // namespace
