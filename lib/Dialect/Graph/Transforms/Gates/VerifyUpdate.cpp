// Gate of stage update: one next value per state; next parameters come from
// reduced, unscaled gradients; a skipped step keeps every bit.
//
// The skip is proved, not simulated: a next value is `select found_inf, old,
// new` with the state's own argument as old, and a weight copy is the cast of
// its parameter's next value.
#include "StepFlow.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"

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
  explicit Checker(FuncOp func) : func(func), flow(func) {}
  LogicalResult run();

private:
  LogicalResult collectUpdates();
  LogicalResult checkState(const Marked &state);
  LogicalResult checkScaler(const Marked &state, Value next);
  LogicalResult checkCopy(const Marked &state, Value next);
  LogicalResult checkSkip(const Marked &state, Value next);
  LogicalResult checkSource(const Marked &state, Value next);

  StringRef role(const Marked &state) {
    if (func.getArgAttr(state.index, kParameterAttr))
      return "parameter";
    auto name = func.getArgAttrOfType<StringAttr>(state.index, kRoleAttr);
    return name ? name.getValue() : "";
  }
  InFlightDiagnostic error(Value at) {
    return mlir::emitError(locationOf(at, func));
  }

  FuncOp func;
  StepFlow flow;
  llvm::StringMap<Marked> states;
  llvm::StringMap<Value> next;
};

} // namespace

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
  if (auto select = value.getDefiningOp<SelectOp>();
      select && !flow.unscales.empty())
    value = select.getOnFalse();
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
  Value foundInf = flow.unscales.front().getFoundInf();
  StringRef name = state.name.getValue();
  auto select = value.getDefiningOp<SelectOp>();
  if (!select || select.getCondition() != foundInf) {
    auto diagnostic = error(value)
                      << "expected the next value of '" << name
                      << "' to be a select on found_inf, so that a skipped "
                         "step keeps it, but got another value";
    diagnostic.attachNote(flow.unscales.front().getLoc())
        << "found_inf is computed here";
    return diagnostic;
  }
  if (select.getOnTrue() != state.value)
    return select.emitError()
           << "expected a skipped step to keep '" << name
           << "', but got another value where found_inf is true";
  return success();
}

LogicalResult Checker::checkCopy(const Marked &state, Value value) {
  auto of = func.getArgAttrOfType<StringAttr>(state.index, kOfAttr);
  auto cast = value.getDefiningOp<CastOp>();
  if (of && cast && next.lookup(of) && cast.getInput() == next.lookup(of))
    return success();
  return error(value) << "expected the next value of '" << state.name.getValue()
                      << "' to be the cast of the next '"
                      << (of ? of.getValue() : "")
                      << "', but got another value";
}

LogicalResult Checker::checkScaler(const Marked &state, Value value) {
  if (flow.dependsOnCheck(value))
    return success();
  return error(value) << "expected the next value of '" << state.name.getValue()
                      << "' to depend on found_inf, but it does not";
}

LogicalResult Checker::checkState(const Marked &state) {
  StringRef name = state.name.getValue(), kind = role(state);
  Value value = next.lookup(name);
  bool isScaler = kind == "scaler";
  if (!value) {
    auto training = func->getAttrOfType<TrainingAttr>(kTrainingAttr);
    bool mayStay = kind == "hyperparameter" ||
                   (isScaler && training && training.getLossScale() &&
                    training.getLossScale().getMode() != "dynamic");
    return mayStay ? success()
                   : func.emitError() << "expected a next value of '" << name
                                      << "', but no result updates it";
  }
  if (isScaler)
    return checkScaler(state, value);
  if (kind == "weight_copy")
    return checkCopy(state, value);
  bool counts = kind == "counter" && name != "step";
  if (counts)
    return flow.unscales.empty() ? success() : checkScaler(state, value);
  if (failed(checkSkip(state, value)))
    return failure();
  return kind == "counter" ? success() : checkSource(state, value);
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
  if (failed(collectUpdates()))
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
    for (FuncOp func : entryFunctions(getOperation(), "step"))
      if (failed(Checker(func).run()))
        return signalPassFailure();
  }
};
} // namespace
