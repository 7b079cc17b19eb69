// Purpose: turn the gradients of a step into its next state, on the device,
// without asking the host.
//
// Order: norm and clip of the unscaled gradients, optimizer, skip, scaler
// update, counters, 16-bit copies.
// - Clip is torch's clip_grad_norm_: coefficient min(1, max / (norm + 1e-6)),
//   always multiplied. `grad_norm` is the norm before clipping.
// - Skip is a select on found_inf between the old and the new value, so a
//   skipped step leaves every bit of parameters, moments and `step`.
// - `step` counts the steps that were taken; the optimizer sees step + 1.
#include "SettingOptions.h"
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
  UpdateBuilder(FuncOp func, TrainingAttr training);
  LogicalResult run();

private:
  LogicalResult collect();
  LogicalResult addCounters();
  LogicalResult updateScaler();
  LogicalResult updateParameter(const Marked &parameter, Value gradient);
  FailureOr<SmallVector<Value>> addMoments(const Marked &parameter);
  Value stepParameter(const Marked &parameter, Value gradient,
                      ArrayRef<Value> moments, SmallVectorImpl<Value> &next);
  Value clipCoefficient(Value norm);

  Value constant(Type element, double value);
  Value castTo(Value value, Type element);
  Value keepIfSkipped(Value old, Value next);
  FailureOr<Value> addCounter(StringRef name);

  FuncOp func;
  TrainingAttr training;
  SignatureEditor signature;
  mlir::ImplicitLocOpBuilder builder;
  SmallVector<Marked> parameters;
  SmallVector<Value> gradients;
  /// Set when the step is scaled.
  Value foundInf, scale;
  Value lr, effectiveStep;
};

} // namespace

UpdateBuilder::UpdateBuilder(FuncOp func, TrainingAttr training)
    : func(func), training(training), signature(func),
      builder(func.getLoc(), func.getBody().front().getTerminator()),
      parameters(markedArguments(func, kParameterAttr)) {}

Value UpdateBuilder::constant(Type element, double value) {
  auto type = RankedTensorType::get({}, element);
  Attribute attribute =
      isa<FloatType>(element)
          ? Attribute(builder.getFloatAttr(element, value))
          : Attribute(builder.getIntegerAttr(element, int64_t(value)));
  return ConstantOp::create(builder,
                            mlir::DenseElementsAttr::get(type, attribute));
}

Value UpdateBuilder::castTo(Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return CastOp::create(builder, type.clone(element), value,
                        builder.getStringAttr("type of the master weights"));
}

Value UpdateBuilder::keepIfSkipped(Value old, Value next) {
  if (!foundInf)
    return next;
  return SelectOp::create(builder, next.getType(), foundInf, old, next);
}

FailureOr<Value> UpdateBuilder::addCounter(StringRef name) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  return signature.addState(
      {name, type, "counter", ZerosAttr::get(func.getContext()), ""});
}

/// One gradient per parameter, and what the scale stage left.
LogicalResult UpdateBuilder::collect() {
  llvm::StringMap<Value> gradientOf;
  for (const Marked &gradient : markedResults(func, kGradientAttr))
    gradientOf[gradient.name] = gradient.value;
  for (const Marked &parameter : parameters) {
    Value gradient = gradientOf.lookup(parameter.name);
    if (!gradient)
      return func.emitError() << "expected a result marked 'graph.gradient' "
                                 "for parameter '"
                              << parameter.name.getValue()
                              << "', but got none; run mpc-differentiate first";
    gradients.push_back(gradient);
  }
  if (auto unscales = func.getOps<UnscaleOp>(); !unscales.empty()) {
    foundInf = (*unscales.begin()).getFoundInf();
    scale = (*unscales.begin()).getScale();
  }
  return success();
}

Value UpdateBuilder::clipCoefficient(Value norm) {
  Type f32 = builder.getF32Type();
  Value one = constant(f32, 1.0);
  Value bound = constant(f32, training.getClip().getNorm().value);
  Value sum = AddOp::create(builder, norm.getType(), norm, constant(f32, 1e-6));
  Value ratio = DivOp::create(builder, norm.getType(), bound, sum);
  return MinimumOp::create(builder, norm.getType(), ratio, one);
}

/// The moments that the optimizer keeps per parameter, as arguments.
FailureOr<SmallVector<Value>>
UpdateBuilder::addMoments(const Marked &parameter) {
  OptimizerAttr optimizer = training.getOptimizer();
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
Value UpdateBuilder::stepParameter(const Marked &parameter, Value gradient,
                                   ArrayRef<Value> moments,
                                   SmallVectorImpl<Value> &next) {
  OptimizerAttr optimizer = training.getOptimizer();
  Type type = parameter.value.getType();
  Value rate = castTo(lr, mlir::getElementTypeOrSelf(type));
  auto real = [&](Real value) { return builder.getF64FloatAttr(value.value); };
  Operation *op;
  double epsilon = optimizer.getEpsilon().value;
  if (epsilon < 0) // its own
    epsilon = 1e-8;
  if (optimizer.getName() == "adamw")
    op = AdamWOp::create(builder, type, type, type, parameter.value, gradient,
                         moments[0], moments[1], rate, effectiveStep,
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

LogicalResult UpdateBuilder::updateParameter(const Marked &parameter,
                                             Value gradient) {
  FailureOr<SmallVector<Value>> moments = addMoments(parameter);
  if (failed(moments))
    return failure();
  SmallVector<Value> nextMoments;
  Value next = stepParameter(parameter, gradient, *moments, nextMoments);
  signature.addResult(keepIfSkipped(parameter.value, next), kUpdatesAttr,
                      parameter.name);
  for (auto [old, moment] : llvm::zip(*moments, nextMoments)) {
    StringRef name = signature.nameOf(old);
    signature.addResult(keepIfSkipped(old, moment), kUpdatesAttr, name);
  }
  return success();
}

/// `step`, and with a scaler `skipped` and `consecutive_skips`.
LogicalResult UpdateBuilder::addCounters() {
  FailureOr<Value> step = addCounter("step");
  if (failed(step))
    return failure();
  Value one = constant(builder.getI32Type(), 1);
  auto plusOne = [&](Value counter) -> Value {
    return AddOp::create(builder, counter.getType(), counter, one);
  };
  effectiveStep = plusOne(*step);
  signature.addResult(keepIfSkipped(*step, effectiveStep), kUpdatesAttr,
                      "step");
  if (!foundInf)
    return success();
  FailureOr<Value> skipped = addCounter("skipped");
  FailureOr<Value> consecutive = addCounter("consecutive_skips");
  if (failed(skipped) || failed(consecutive))
    return failure();
  auto choose = [&](Value ifSkipped, Value otherwise) -> Value {
    return SelectOp::create(builder, otherwise.getType(), foundInf, ifSkipped,
                            otherwise);
  };
  signature.addResult(choose(plusOne(*skipped), *skipped), kUpdatesAttr,
                      "skipped");
  signature.addResult(
      choose(plusOne(*consecutive), constant(builder.getI32Type(), 0)),
      kUpdatesAttr, "consecutive_skips");
  return success();
}

LogicalResult UpdateBuilder::updateScaler() {
  LossScaleAttr settings = training.getLossScale();
  if (!foundInf || settings.getMode() != "dynamic")
    return success();
  auto type = RankedTensorType::get({}, builder.getI32Type());
  FailureOr<Value> tracker =
      signature.addState({"scaler.growth_tracker", type, "scaler",
                          ZerosAttr::get(func.getContext()), ""});
  if (failed(tracker))
    return failure();
  auto update = ScalerUpdateOp::create(
      builder, scale.getType(), type, scale, *tracker, foundInf,
      builder.getF64FloatAttr(settings.getGrowth().value),
      builder.getF64FloatAttr(settings.getBackoff().value),
      builder.getI64IntegerAttr(settings.getInterval()));
  signature.addResult(update.getNextScale(), kUpdatesAttr, "scaler.scale");
  signature.addResult(update.getNextGrowthTracker(), kUpdatesAttr,
                      "scaler.growth_tracker");
  return success();
}

LogicalResult UpdateBuilder::run() {
  if (failed(collect()))
    return failure();
  signature.dropResults(kGradientAttr);
  Value norm = GlobalNormOp::create(
      builder, RankedTensorType::get({}, builder.getF32Type()), gradients);
  signature.addResult(norm, kOutputAttr, "grad_norm");
  ClipAttr clip = training.getClip();
  if (clip && clip.getNorm().value > 0) {
    Value coefficient = clipCoefficient(norm);
    for (Value &gradient : gradients)
      gradient = MulOp::create(
          builder, gradient.getType(), gradient,
          castTo(coefficient, mlir::getElementTypeOrSelf(gradient.getType())));
  }
  FailureOr<Value> rate = signature.addState(
      {"optimizer.lr", RankedTensorType::get({}, builder.getF32Type()),
       "hyperparameter",
       FillAttr::get(func.getContext(), training.getOptimizer().getLr()), ""});
  if (failed(rate) || failed(addCounters()))
    return failure();
  lr = *rate;
  for (auto [parameter, gradient] : llvm::zip(parameters, gradients))
    if (failed(updateParameter(parameter, gradient)))
      return failure();
  if (failed(updateScaler()))
    return failure();
  signature.finish();
  return success();
}

namespace {
struct InsertUpdate final
    : WithSettings<impl::InsertUpdateBase<InsertUpdate>, SettingKind::Scale,
                   SettingKind::Update> {
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
