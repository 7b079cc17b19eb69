// Gate of stage update: one next value per state; next parameters come from
// reduced gradients that were unscaled once; a skipped step keeps every bit.
//
// The skip is proved, not simulated: a next value is a select with the state's
// own argument where a flag is set, and among its flags is the found_inf of
// every unscale that the value depends on. All state of one parameter group has
// the same flags, and a weight copy is the cast of its parameter's next value.
#include "../StepFlow.h"
#include "SkipProof.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mpc/Dialect/Graph/Analysis/ParameterGroups.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Interfaces/OptimizerOpInterface.h"
#include "mpc/Program/Names.h"

namespace mpc::graph {
#define GEN_PASS_DEF_VERIFYUPDATE
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

class Checker {
public:
  explicit Checker(FuncOp func);
  LogicalResult run();

private:
  LogicalResult collectUpdates();
  LogicalResult checkState(const Marked &state);
  LogicalResult checkScaler(const Marked &state, Value next);
  LogicalResult checkAccumulator(const Marked &state, Value next);
  LogicalResult checkRandomStep(const Marked &state, Value next);
  LogicalResult checkCopy(const Marked &state, Value next);
  LogicalResult checkStatistic(const Marked &state, Value next);
  LogicalResult checkSkip(const Marked &state, Value next);
  LogicalResult checkNonfinite(const Marked &state, Value next);
  LogicalResult checkGroup(const Marked &state, const Flags &flags);
  LogicalResult checkOrder();
  LogicalResult checkSource(const Marked &state, Value next);

  Role role(const Marked &state) { return getRole(func, state.index); }
  /// The parameter group that `state` is part of.
  StringRef groupOf(const Marked &state);
  /// Whether `state` is a parameter that no step changes, or its weight copy.
  bool isFrozen(const Marked &state);
  InFlightDiagnostic error(Value at) {
    return mlir::emitError(locationOf(at, func));
  }

  FuncOp func;
  StepFlow flow;
  ParameterGroups groups;
  llvm::StringMap<Marked> states;
  llvm::StringMap<Value> next;
  /// Output `nonfinite_grad`, or null.
  Value nonfinite;
  /// By name of the group: its first state, and what keeps it.
  llvm::StringMap<std::pair<StringAttr, Flags>> flagsOfGroup;
};

} // namespace

static ParameterGroups groupsOf(FuncOp func) {
  SmallVector<StringRef> parameters;
  for (const Marked &parameter : markedArguments(func, kParameterAttr))
    parameters.push_back(parameter.name);
  return {func->getAttrOfType<TrainingAttr>(kTrainingAttr), parameters};
}

Checker::Checker(FuncOp func) : func(func), flow(func), groups(groupsOf(func)) {
  for (const Marked &output : markedResults(func, kOutputAttr))
    if (output.name == StringRef(program::kNonfiniteGradOutput))
      nonfinite = output.value;
}

LogicalResult Checker::collectUpdates() {
  for (const Marked &state : stateArguments(func))
    states.try_emplace(state.name, state); // The dialect keeps names unique.
  for (const Marked &update : markedResults(func, kUpdatesAttr)) {
    StringRef name = update.name.getValue();
    auto state = states.find(name);
    if (state == states.end())
      return error(update.value) << "expected a state of this step, but got an "
                                    "update of '"
                                 << name << "'";
    Type type = state->second.value.getType();
    if (type != update.value.getType())
      return error(update.value)
             << "expected the next value of '" << name << "' to be " << type
             << ", but got " << update.value.getType();
    if (!next.try_emplace(name, update.value).second)
      return error(update.value)
             << "expected one next value of '" << name << "', but got two";
  }
  return success();
}

/// Gradients reach the next value reduced and unscaled. The skip depends on
/// found_inf anyway; what counts is the value of a step that is taken.
LogicalResult Checker::checkSource(const Marked &state, Value value) {
  value = KeptValue(state.value, value).taken;
  StringRef name = state.name.getValue();
  if (!flow.reductions.empty() && !flow.reducedAt(value))
    return error(value) << "expected the next value of '" << name
                        << "' to come from reduced gradients, but no "
                           "graph.all_reduce reaches it";
  if (!flow.unscales.empty() && !flow.unscaledAt(value))
    return error(value) << "expected the next value of '" << name
                        << "' to come from unscaled gradients, but no "
                           "graph.unscale reaches it";
  return success();
}

LogicalResult Checker::checkSkip(const Marked &state, Value value) {
  if (flow.unscales.empty())
    return success();
  StringRef name = state.name.getValue();
  KeptValue kept(state.value, value);
  SmallVector<UnscaleOp> sources = flow.unscalesOf(kept.taken);
  if (sources.empty()) // A counter: whatever its group depends on.
    sources = llvm::filter_to_vector(flow.unscales, [&](UnscaleOp unscale) {
      return kept.flags.contains(unscale.getFoundInf());
    });
  if (sources.empty())
    sources.push_back(flow.unscales.front());
  for (UnscaleOp unscale : sources) {
    Value foundInf = unscale.getFoundInf();
    if (kept.flags.contains(foundInf))
      continue;
    auto select = value.getDefiningOp<SelectOp>();
    if (select && flagsOf(select.getCondition()).contains(foundInf))
      return select.emitError()
             << "expected a skipped step to keep '" << name
             << "', but got another value where found_inf is true";
    auto diagnostic = error(value)
                      << "expected the next value of '" << name
                      << "' to be a select on found_inf, so that a skipped "
                         "step keeps it, but got another value";
    diagnostic.attachNote(unscale.getLoc()) << "found_inf is computed here";
    return diagnostic;
  }
  return checkGroup(state, kept.flags);
}

/// Such a step is as if it had not been called.
LogicalResult Checker::checkNonfinite(const Marked &state, Value value) {
  if (!nonfinite)
    return success();
  // It may itself be the or of several: of norms of parameter groups.
  Flags kept = KeptValue(state.value, value).flags;
  if (llvm::all_of(flagsOf(nonfinite),
                   [&](Value flag) { return kept.contains(flag); }))
    return success();
  return error(value) << "expected a step whose norm is not finite to keep '"
                      << state.name.getValue()
                      << "', but nonfinite_grad does not select it";
}

StringRef Checker::groupOf(const Marked &state) {
  if (role(state) == Role::StepCounter) {
    StringAttr group = getState(func, state.index).getOf();
    return group ? group.getValue() : kDefaultGroup;
  }
  StringAttr owner = getParameter(func, state.index);
  auto parameter = owner ? states.find(owner) : states.end();
  bool isParameter =
      parameter != states.end() && role(parameter->second) == Role::Parameter;
  return isParameter ? groups.getGroups()[groups.indexOf(owner)].name
                     : kDefaultGroup;
}

bool Checker::isFrozen(const Marked &state) {
  StringAttr owner = getParameter(func, state.index);
  auto parameter = owner ? states.find(owner) : states.end();
  return parameter != states.end() &&
         func.getArgAttr(parameter->second.index, kFrozenAttr);
}

/// All of a group is skipped, or nothing.
LogicalResult Checker::checkGroup(const Marked &state, const Flags &flags) {
  auto [entry, isFirst] =
      flagsOfGroup.try_emplace(groupOf(state), state.name, flags);
  const auto &[first, expected] = entry->second;
  bool agrees =
      expected.size() == flags.size() &&
      llvm::all_of(flags, [&](Value flag) { return expected.contains(flag); });
  if (agrees)
    return success();
  return error(next.lookup(state.name))
         << "expected '" << state.name.getValue()
         << "' to be kept by the same flags as '" << first.getValue()
         << "', which is of the same parameter group, but got others";
}

/// Unscaled once, and before the optimizer; one optimizer per parameter.
LogicalResult Checker::checkOrder() {
  auto fail = [](Operation *op, const Twine &message, Operation *first,
                 StringRef note) {
    auto diagnostic = op->emitError() << message;
    diagnostic.attachNote(first->getLoc()) << note;
    return diagnostic;
  };
  for (UnscaleOp unscale : flow.unscales)
    for (auto [index, gradient] : llvm::enumerate(unscale.getGradients())) {
      if (Operation *step = flow.steppedAt(gradient))
        return fail(unscale,
                    "expected gradient #" + Twine(index) +
                        " to be unscaled before the optimizer, but got one "
                        "that depends on its result",
                    step, "the optimizer");
      Operation *first = flow.unscaledAt(gradient);
      if (first && !flow.scaledAt(gradient))
        return fail(unscale,
                    "expected gradient #" + Twine(index) +
                        " to be unscaled once, but got one that is unscaled",
                    first, "unscaled here first");
    }
  // No backward pass takes a norm, bounds or compares cotangents: a clip does.
  for (Operation &op : func.getBody().front())
    if (isa<GlobalNormOp, MinimumOp, MaximumOp, CompareOp>(op))
      for (Value operand : op.getOperands())
        if (Operation *scale = flow.scaledAt(operand))
          return fail(&op,
                      "expected clip of unscaled gradients, but got one that "
                      "is still scaled",
                      scale, "scaled here");
  for (auto optimizer : func.getOps<OptimizerOpInterface>())
    if (Operation *first = flow.steppedAt(optimizer.getParameter()))
      return fail(optimizer,
                  "expected one update of a parameter in a step, but got a "
                  "second one",
                  first, "the first one");
  return success();
}

LogicalResult Checker::checkCopy(const Marked &state, Value value) {
  StringAttr of = getParameter(func, state.index);
  auto cast = value.getDefiningOp<CastOp>();
  if (cast && next.lookup(of) && cast.getInput() == next.lookup(of))
    return success();
  return error(value) << "expected the next value of '" << state.name.getValue()
                      << "' to be the cast of the next '" << of.getValue()
                      << "', but got another value";
}

LogicalResult Checker::checkScaler(const Marked &state, Value value) {
  if (flow.dependsOnCheck(value))
    return success();
  return error(value) << "expected the next value of '" << state.name.getValue()
                      << "' to depend on found_inf, but it does not";
}

/// Sums over micro-batches begin anew, whether the step was skipped or not.
LogicalResult Checker::checkAccumulator(const Marked &state, Value value) {
  if (isZero(value))
    return success();
  return error(value) << "expected a step to leave zeros in '"
                      << state.name.getValue() << "', but got another value";
}

/// A step never draws what the one before drew, whether that was skipped or
/// not.
LogicalResult Checker::checkRandomStep(const Marked &state, Value value) {
  auto add = value.getDefiningOp<AddOp>();
  if (add && add.getLhs() == state.value &&
      mlir::matchPattern(add.getRhs(), mlir::m_One()))
    return success();
  return error(value) << "expected the next value of '" << state.name.getValue()
                      << "' to be one more, but it is not";
}

/// Kept by all flags, or, where the settings say so, by none but that of a norm
/// that is not finite.
LogicalResult Checker::checkStatistic(const Marked &state, Value value) {
  auto training = func->getAttrOfType<TrainingAttr>(kTrainingAttr);
  Flags kept = KeptValue(state.value, value).flags;
  bool moves = training && training.getStep().skippedStatistics ==
                               SkippedStatistics::Update;
  for (UnscaleOp unscale : flow.unscales) {
    if (moves || kept.contains(unscale.getFoundInf()))
      continue;
    auto diagnostic = error(value)
                      << "expected the next value of '" << state.name.getValue()
                      << "' to be a select on found_inf, so that a skipped "
                         "step keeps it, but got another value";
    diagnostic.attachNote(unscale.getLoc()) << "found_inf is computed here";
    return diagnostic;
  }
  return checkNonfinite(state, value);
}

LogicalResult Checker::checkState(const Marked &state) {
  StringRef name = state.name.getValue();
  Role kind = role(state);
  Value value = next.lookup(name);
  bool isScaler = kind == Role::Scaler || kind == Role::LossScale;
  bool isSetting = kind == Role::Hyperparameter || kind == Role::LearningRate ||
                   kind == Role::RandomSeed;
  if (isFrozen(state))
    return value ? error(value) << "expected no next value of '" << name
                                << "', which is frozen, but got one"
                 : success();
  if (!value) {
    auto training = func->getAttrOfType<TrainingAttr>(kTrainingAttr);
    bool mayStay = isSetting || kind == Role::RunningStatistic ||
                   (isScaler && training && training.getLossScale() &&
                    training.getLossScale()->mode != ScaleMode::Dynamic);
    return mayStay ? success()
                   : func.emitError() << "expected a next value of '" << name
                                      << "', but no result updates it";
  }
  if (isScaler)
    return success(succeeded(checkScaler(state, value)) &&
                   succeeded(checkNonfinite(state, value)));
  if (kind == Role::Accumulator)
    return checkAccumulator(state, value);
  if (kind == Role::RandomStep)
    return checkRandomStep(state, value);
  if (kind == Role::WeightCopy)
    return checkCopy(state, value);
  if (kind == Role::RunningStatistic)
    return checkStatistic(state, value);
  if (kind == Role::Counter)
    return flow.unscales.empty() ? success() : checkScaler(state, value);
  if (failed(checkSkip(state, value)) || failed(checkNonfinite(state, value)))
    return failure();
  return kind == Role::StepCounter ? success() : checkSource(state, value);
}

LogicalResult Checker::run() {
  for (const Marked &gradient : markedResults(func, kGradientAttr))
    return error(gradient.value)
           << "expected no gradient among the results of an updated step, but "
              "got that of '"
           << gradient.name.getValue() << "'";
  for (Value value : func.getBody().front().getTerminator()->getOperands())
    if (Operation *scale = flow.scaledAt(value)) {
      auto diagnostic = error(value) << "expected clip and update of unscaled "
                                        "gradients, but got a result that is "
                                        "still scaled";
      diagnostic.attachNote(scale->getLoc()) << "scaled here";
      return diagnostic;
    }
  if (failed(collectUpdates()) || failed(checkOrder()))
    return failure();
  for (const Marked &state : stateArguments(func))
    if (failed(checkState(state)))
      return failure();
  return success();
}

namespace {
struct VerifyUpdate final : impl::VerifyUpdateBase<VerifyUpdate> {
  using Base::Base;
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(mlir::verify(getOperation())) ||
        failed(verifyStates(getOperation())))
      return signalPassFailure();
    for (FuncOp func : entryFunctions(getOperation(), program::kStepEntry))
      if (failed(Checker(func).run()))
        return signalPassFailure();
  }
};
} // namespace
