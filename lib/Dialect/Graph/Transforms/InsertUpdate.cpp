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
  Value stepParameter(const UpdateGroup &group, const Marked &parameter,
                      Value gradient, ArrayRef<Value> moments,
                      SmallVectorImpl<Value> &next);

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
  SmallVector<StringRef> names;
  if (optimizer.getName() == "adamw")
    names = {"exp_avg", "exp_avg_sq"};
  else if (optimizer.getMomentum().value > 0)
    names = {"momentum_buffer"};
  SmallVector<Value> moments;
  for (StringRef name : names) {
    std::string full = (parameter.name.getValue() + "." + name).str();
    FailureOr<Value> moment =
        signature.addState({full, parameter.value.getType(), "moment",
                            ZerosAttr::get(func.getContext()), parameter.name});
    if (failed(moment))
      return failure();
    moments.push_back(*moment);
  }
  return moments;
}

/// The optimizer's op; returns the next parameter, appends the next moments.
Value UpdateBuilder::stepParameter(const UpdateGroup &group,
                                   const Marked &parameter, Value gradient,
                                   ArrayRef<Value> moments,
                                   SmallVectorImpl<Value> &next) {
  OptimizerAttr optimizer = group.optimizer;
  Type type = parameter.value.getType();
  Value rate = b.castTo(group.lr, mlir::getElementTypeOrSelf(type));
  auto real = [&](Real value) { return builder.getF64FloatAttr(value.value); };
  Operation *op;
  double epsilon = optimizer.getEpsilon().value;
  if (epsilon < 0) // its own
    epsilon = 1e-8;
  if (optimizer.getName() == "adamw")
    op = AdamWOp::create(builder, type, type, type, parameter.value, gradient,
                         moments[0], moments[1], rate, group.step,
                         real(optimizer.getBeta1()), real(optimizer.getBeta2()),
                         builder.getF64FloatAttr(epsilon),
                         real(optimizer.getWeightDecay()));
  else
    op = SgdOp::create(
        builder, type, moments.empty() ? Type() : type, parameter.value,
        gradient, moments.empty() ? Value() : moments[0], rate,
        real(optimizer.getMomentum()), real(optimizer.getWeightDecay()),
        optimizer.getNesterov() ? builder.getUnitAttr() : nullptr);
  llvm::append_range(next, op->getResults().drop_front());
  return op->getResult(0);
}

LogicalResult UpdateBuilder::updateParameter(const UpdateGroup &group,
                                             const Marked &parameter,
                                             Value gradient) {
  FailureOr<SmallVector<Value>> moments =
      addMoments(group.optimizer, parameter);
  if (failed(moments))
    return failure();
  SmallVector<Value> nextMoments;
  Value next = stepParameter(group, parameter, gradient, *moments, nextMoments);
  signature.addResult(b.keep(group.skip, parameter.value, next), kUpdatesAttr,
                      parameter.name);
  for (auto [old, moment] : llvm::zip(*moments, nextMoments)) {
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
                                 "'optimizer' (sgd or adamw) and 'lr'";
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
