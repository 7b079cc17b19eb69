// Purpose: turn the gradients of a step into its next state, on the device,
// without asking the host.
//
// Order, each part in a file of Update/: norms and clip of the unscaled
// gradients, skip, counters, learning rates, optimizer, 16-bit copies.
// Skip is a select between the old and the new value, so a skipped step leaves
// every bit of parameters, moments and counters of steps.
#include "SettingOptions.h"
#include "Update/UpdateGroup.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Dialect/Graph/Transforms/WeightCopies.h"

namespace mpc::graph {
#define GEN_PASS_DEF_INSERTUPDATE
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

/// Writes the update of one step function.
class UpdateBuilder {
public:
  UpdateBuilder(FuncOp func, TrainingAttr training)
      : b(func), func(func), training(training), signature(b.signature),
        builder(b.builder) {}
  LogicalResult run();

private:
  /// The scale stage made the scaler's next state; it stays as it is where a
  /// step is left out as a whole.
  void keepScaler(Value nonfinite);
  LogicalResult updateParameter(const UpdateGroup &group,
                                const Marked &parameter, Value gradient);
  FailureOr<SmallVector<Value>> addMoments(OptimizerAttr optimizer,
                                           const Marked &parameter);

  StepBuilder b;
  FuncOp func;
  TrainingAttr training;
  SignatureEditor &signature;
  mlir::ImplicitLocOpBuilder &builder;
};

} // namespace

/// The moments that the optimizer keeps per parameter, as arguments.
FailureOr<SmallVector<Value>>
UpdateBuilder::addMoments(OptimizerAttr optimizer, const Marked &parameter) {
  SmallVector<Value> moments;
  for (const Moment &moment : getMoments(optimizer)) {
    std::string name = (parameter.name.getValue() + "." + moment.name).str();
    MLIRContext *context = func.getContext();
    Attribute init = moment.initial == 0
                         ? Attribute(ZerosAttr::get(context))
                         : FillAttr::get(context, Real(moment.initial));
    FailureOr<Value> state = signature.addState(
        {name, parameter.value.getType(), "moment", init, parameter.name});
    if (failed(state))
      return failure();
    moments.push_back(*state);
  }
  return moments;
}

LogicalResult UpdateBuilder::updateParameter(const UpdateGroup &group,
                                             const Marked &parameter,
                                             Value gradient) {
  FailureOr<SmallVector<Value>> moments =
      addMoments(group.optimizer, parameter);
  if (failed(moments))
    return failure();
  Value rate = b.castTo(group.lr, mlir::getElementTypeOrSelf(parameter.value));
  SmallVector<Value> next =
      buildUpdate(builder, group.optimizer,
                  {parameter.value, gradient, *moments, rate, group.step});
  signature.addResult(b.keep(group.skip, parameter.value, next.front()),
                      kUpdatesAttr, parameter.name);
  for (auto [old, moment] :
       llvm::zip_equal(*moments, ArrayRef(next).drop_front())) {
    StringRef name = signature.nameOf(old);
    signature.addResult(b.keep(group.skip, old, moment), kUpdatesAttr, name);
  }
  return success();
}

void UpdateBuilder::keepScaler(Value nonfinite) {
  if (!nonfinite)
    return;
  llvm::StringMap<Value> states;
  for (const Marked &state : markedArguments(func, kStateAttr))
    states[state.name] = state.value;
  signature.changeResults(kUpdatesAttr, [&](StringRef name, Value next) {
    return b.keep(nonfinite, states.lookup(name), next);
  });
}

LogicalResult UpdateBuilder::run() {
  FailureOr<SmallVector<UpdateGroup>> groups = collectGroups(func, training);
  if (failed(groups))
    return failure();
  signature.dropResults(kGradientAttr);
  signature.dropResults(kFoundInfAttr);
  Value nonfiniteNorm = clipGradients(b, training, *groups);
  Value nonfinite = decideSkips(b, nonfiniteNorm, *groups);
  keepScaler(nonfinite);
  if (failed(countSteps(b, nonfinite, *groups)) ||
      failed(setLearningRates(b, *groups)))
    return failure();
  for (const UpdateGroup &group : *groups)
    for (auto [parameter, gradient] :
         llvm::zip_equal(group.parameters, group.gradients))
      if (failed(updateParameter(group, parameter, gradient)))
        return failure();
  signature.finish();
  return success();
}

namespace {
struct InsertUpdate final
    : WithSettings<impl::InsertUpdateBase<InsertUpdate>, SettingKind::Update> {
  using WithSettings::WithSettings;

  FailureOr<TrainingAttr> effective(FuncOp func) {
    FailureOr<TrainingAttr> training = effectiveTraining(func);
    if (succeeded(training) && !training->getOptimizer())
      return func.emitError() << "expected an optimizer for the step, but "
                                 "'graph.training' names none; give option "
                                 "'optimizer' ("
                              << optimizerNames() << ") and 'lr'";
    return training;
  }

  LogicalResult runOn(FuncOp func) {
    FailureOr<TrainingAttr> training = effective(func);
    if (failed(training))
      return failure();
    func->setAttr(kTrainingAttr, *training);
    return UpdateBuilder(func, *training).run();
  }

  /// What the step says, or the forward where there is none: entries share the
  /// copies.
  FailureOr<bool> keepsCopies() {
    SmallVector<FuncOp> entries = entryFunctions(getOperation(), "step");
    llvm::append_range(entries, entryFunctions(getOperation(), "forward"));
    if (entries.empty())
      return false;
    FailureOr<TrainingAttr> training = effectiveTraining(entries.front());
    if (failed(training))
      return failure();
    return training->getWeightCopies() == "persistent";
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<bool> keepsCopies = this->keepsCopies();
    if (failed(keepsCopies))
      return signalPassFailure();
    SmallVector<FuncOp> steps = entryFunctions(module, "step");
    for (FuncOp func : steps)
      if (failed(runOn(func)))
        return signalPassFailure();
    if (*keepsCopies && failed(publishWeightCopies(module)))
      signalPassFailure();
  }
};
} // namespace
