// Purpose: keep small gradients out of the underflow of 16-bit formats. The
// cotangent of the loss is multiplied by the loss scale, so every value of the
// backward is; each gradient is divided by the scale again, in f32, and checked
// for inf and NaN on the way; then the scale is adapted to what was found.
//
// - One graph.unscale per loss and parameter group. With one scale for all
//   losses a group skips its step for what was found in its own gradients, and
//   the scale sees all groups (torch: several optimizers, one GradScaler).
// - With a scale per loss each gradient is unscaled by its loss's own scale
//   before the losses' gradients are added; each scale sees what was found in
//   its loss's gradients, and any of them skips the step of every group (Apex:
//   scale_loss with loss_id patches the step of all its optimizers).
// - Gradients are divided by the scale that they were multiplied by. The update
//   makes a new value, so this holds on a step that grows, too; DeepSpeed,
//   which updates first, is asked for with divide_by_next.
// - A static scale is state that nothing updates.
#include "../SettingOptions.h"
#include "ScalerState.h"
#include "mpc/Dialect/Graph/Analysis/ParameterGroups.h"
#include "mpc/Dialect/Graph/IR/Expression.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Program/Names.h"
#include "mpc/Text/Phases.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::graph {
#define GEN_PASS_DEF_SCALELOSS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {

/// A seed and what it becomes.
struct ScaledLoss {
  /// Empty if there is one scale for all losses.
  StringRef name;
  ConstantOp seed;
  ScalerState state;
  Value foundInf; ///< In any of its gradients.
};

/// Scales one step function.
class Scaler {
public:
  Scaler(FuncOp func, TrainingAttr training);
  LogicalResult run();

private:
  LogicalResult findSeeds();
  LogicalResult checkTypes();
  LogicalResult scaleSeeds();
  void unscale(ScaledLoss &loss);
  void unscaleGroup(ScaledLoss &loss, unsigned group);
  /// What gradients are divided by.
  Value divisor(const ScaledLoss &loss);
  void returnGradients();
  void returnFoundInf();
  void updateScaler(const ScaledLoss &loss);

  /// Whether one of two flags is set, of which either may be null.
  Value either(Value a, Value b) {
    return expr::either({builder, a}, {builder, b});
  }
  Value no();
  bool isPerLoss() const { return !losses.front().name.empty(); }

  FuncOp func;
  LossScaleAttr settings;
  SmallVector<StringRef> parameters;
  ParameterGroups groups;
  SignatureEditor signature;
  mlir::ImplicitLocOpBuilder builder;
  SmallVector<ScaledLoss> losses;
  /// The sum of what each loss contributed, unscaled.
  llvm::StringMap<Value> gradients;
  /// Per parameter group, for the last loss; null where a group has no
  /// parameter.
  SmallVector<Value> foundInfs;
  Value anyFoundInf, anyAtFloor;
};

} // namespace

/// The parameters that have gradients, in order.
static SmallVector<StringRef> gradientNames(FuncOp func) {
  llvm::SetVector<StringRef> names;
  for (const Marked &gradient : markedResults(func, kGradientAttr))
    names.insert(gradient.name.getValue());
  return names.takeVector();
}

Scaler::Scaler(FuncOp func, TrainingAttr training)
    : func(func), settings(training.getLossScale()),
      parameters(gradientNames(func)), groups(training, parameters),
      signature(func), builder(nameUpdate("", func.getLoc()),
                               func.getBody().front().getTerminator()),
      foundInfs(groups.getGroups().size()) {}

Value Scaler::no() { return expr::constant(builder, builder.getI1Type(), 0); }

LogicalResult Scaler::findSeeds() {
  for (auto constant : func.getOps<ConstantOp>()) {
    Attribute mark = constant->getAttr(kSeedAttr);
    if (!mark)
      continue;
    auto name = dyn_cast<StringAttr>(mark);
    if (!losses.empty() && (!name || losses.front().name.empty())) {
      auto error = constant.emitError("expected one seed in a step, but got a "
                                      "second one");
      error.attachNote(losses.front().seed.getLoc()) << "the first one";
      return error;
    }
    losses.push_back({name ? name.getValue() : "", constant, {}, {}});
  }
  if (losses.empty())
    return func.emitError("expected a constant marked 'graph.seed' to scale, "
                          "but got none; run mpc-differentiate first");
  bool wanted = settings->scope == ScaleScope::PerLoss;
  if (isPerLoss() && !wanted)
    return func.emitError("expected scope per_loss in loss_scale for losses "
                          "with a backward pass each, but got shared; "
                          "differentiate and scale with the same settings");
  return success();
}

LogicalResult Scaler::checkTypes() {
  for (const ScaledLoss &loss : losses) {
    Type element = ConstantOp(loss.seed).getType().getElementType();
    if (!element.isF32() && !element.isF64())
      return ConstantOp(loss.seed).emitError()
             << "expected a loss of f32 or f64 to scale, but got " << element
             << "; cast the loss in the model";
  }
  for (const Marked &gradient : markedResults(func, kGradientAttr)) {
    Type type = mlir::getElementTypeOrSelf(gradient.value.getType());
    if (!type.isF32() && !type.isF64())
      return mlir::emitError(gradient.value.getLoc())
             << "expected the gradient of '" << gradient.name.getValue()
             << "' in f32 or f64, but got " << type
             << "; parameters are master weights";
  }
  return success();
}

LogicalResult Scaler::scaleSeeds() {
  for (ScaledLoss &loss : losses) {
    FailureOr<ScalerState> state =
        addScalerState(settings, loss.name, signature);
    if (failed(state))
      return failure();
    loss.state = *state;
    ConstantOp seed = loss.seed;
    OpBuilder after(func.getContext());
    after.setInsertionPointAfter(seed);
    auto scaled = ScaleOp::create(after, seed.getLoc(), seed.getType(), seed,
                                  state->scale);
    seed.getResult().replaceAllUsesExcept(scaled, scaled);
  }
  return success();
}

/// The scale, or the one that the update makes if nothing is found: where
/// something is, no gradient is used.
Value Scaler::divisor(const ScaledLoss &loss) {
  if (!settings->divideByNext || !loss.state.growthTracker)
    return loss.state.scale;
  return buildScalerUpdate(builder, settings, loss.state, no()).getNextScale();
}

void Scaler::unscaleGroup(ScaledLoss &loss, unsigned group) {
  SmallVector<Value> scaled;
  SmallVector<StringRef> names;
  // The seed itself can be a gradient: read what is returned now.
  for (const Marked &gradient : markedResults(func, kGradientAttr)) {
    auto of = func.getResultAttrOfType<StringAttr>(gradient.index, kOfAttr);
    if ((of ? of.getValue() : "") != loss.name ||
        groups.indexOf(gradient.name) != group)
      continue;
    scaled.push_back(gradient.value);
    names.push_back(gradient.name);
  }
  if (scaled.empty())
    return;
  auto unscale = UnscaleOp::create(builder, divisor(loss), scaled);
  for (auto [name, value] : llvm::zip_equal(names, unscale.getUnscaled())) {
    Value &sum = gradients[name];
    sum = sum ? Expr(builder, sum) + Expr(builder, value) : Value(value);
  }
  foundInfs[group] = unscale.getFoundInf();
  loss.foundInf = either(loss.foundInf, unscale.getFoundInf());
}

void Scaler::unscale(ScaledLoss &loss) {
  for (unsigned group = 0; group < foundInfs.size(); ++group)
    unscaleGroup(loss, group);
  if (!loss.foundInf) // It reaches no parameter.
    loss.foundInf = no();
}

/// One per parameter.
void Scaler::returnGradients() {
  signature.dropResults(kGradientAttr);
  for (StringRef name : parameters)
    signature.addResult(gradients[name], kGradientAttr, name);
}

/// What the update stage skips by, per group, and what the caller reads.
void Scaler::returnFoundInf() {
  for (const ScaledLoss &loss : losses)
    anyFoundInf = either(anyFoundInf, loss.foundInf);
  for (auto [group, foundInf] : llvm::zip_equal(groups.getGroups(), foundInfs))
    if (foundInf)
      signature.addResult(isPerLoss() ? anyFoundInf : foundInf, kFoundInfAttr,
                          group.name);
  signature.addResult(anyFoundInf, kOutputAttr, program::kFoundInfOutput);
  for (const ScaledLoss &loss : losses) {
    auto nameOf = [&](StringRef output) {
      return isPerLoss() ? (output + "." + loss.name).str() : output.str();
    };
    signature.addResult(loss.state.scale, kOutputAttr,
                        nameOf(program::kScaleOutput));
    if (isPerLoss())
      signature.addResult(loss.foundInf, kOutputAttr,
                          nameOf(program::kFoundInfOutput));
  }
}

void Scaler::updateScaler(const ScaledLoss &loss) {
  auto update = buildScalerUpdate(builder, settings, loss.state, loss.foundInf);
  anyAtFloor = either(anyAtFloor, update.getAtFloor());
  auto updateState = [&](Value state, Value next) {
    signature.addResult(next, kUpdatesAttr, signature.nameOf(state));
  };
  updateState(loss.state.scale, update.getNextScale());
  updateState(loss.state.growthTracker, update.getNextGrowthTracker());
  if (Value tracker = update.getNextHysteresisTracker())
    updateState(loss.state.hysteresisTracker, tracker);
}

LogicalResult Scaler::run() {
  if (failed(findSeeds()) || failed(checkTypes()) || failed(scaleSeeds()))
    return failure();
  for (ScaledLoss &loss : losses)
    unscale(loss);
  returnGradients();
  returnFoundInf();
  if (settings->mode == ScaleMode::Dynamic) {
    for (const ScaledLoss &loss : losses)
      updateScaler(loss);
    signature.addResult(anyAtFloor, kOutputAttr, program::kScaleAtFloorOutput);
  }
  signature.finish();
  return success();
}

namespace {
struct ScaleLoss final
    : WithSettings<impl::ScaleLossBase<ScaleLoss>, SettingKind::Scale> {
  LogicalResult runOn(FuncOp func) {
    FailureOr<TrainingAttr> training = effectiveTraining(func);
    if (failed(training))
      return failure();
    func->setAttr(kTrainingAttr, *training);
    if (training->getLossScale()->mode == ScaleMode::None ||
        markedResults(func, kGradientAttr).empty())
      return success();
    return Scaler(func, *training).run();
  }

  void runOnOperation() override {
    for (FuncOp func : entryFunctions(getOperation(), program::kStepEntry))
      if (failed(runOn(func)))
        return signalPassFailure();
  }
};
} // namespace
