// Purpose: keep small gradients out of the underflow of 16-bit formats. The
// cotangent of the loss is multiplied by the loss scale, so every value of the
// backward is; each gradient is divided by the scale again, in f32, and checked
// for inf and NaN on the way.
//
// Static and dynamic scaling differ in the update stage only: a static scale is
// state that nothing updates.
#include "SettingOptions.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"

namespace mpc::graph {
#define GEN_PASS_DEF_SCALELOSS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

/// The one seed of `func`; null after an error.
static ConstantOp findSeed(FuncOp func) {
  ConstantOp seed;
  for (auto constant : func.getOps<ConstantOp>()) {
    if (!constant->hasAttr(kSeedAttr))
      continue;
    if (seed) {
      auto error = constant.emitError("expected one seed in a step, but got a "
                                      "second one");
      error.attachNote(seed.getLoc()) << "the first one";
      return nullptr;
    }
    seed = constant;
  }
  if (!seed)
    func.emitError("expected a constant marked 'graph.seed' to scale, but got "
                   "none; run mpc-differentiate first");
  return seed;
}

static LogicalResult checkTypes(ConstantOp seed, ArrayRef<Marked> gradients) {
  Type element = seed.getType().getElementType();
  if (!element.isF32() && !element.isF64())
    return seed.emitError() << "expected a loss of f32 or f64 to scale, but "
                               "got "
                            << element << "; cast the loss in the model";
  for (const Marked &gradient : gradients) {
    Type type = mlir::getElementTypeOrSelf(gradient.value.getType());
    if (!type.isF32() && !type.isF64())
      return mlir::emitError(gradient.value.getLoc())
             << "expected the gradient of '" << gradient.name.getValue()
             << "' in f32 or f64, but got " << type
             << "; parameters are master weights";
  }
  return success();
}

static LogicalResult scale(FuncOp func, LossScaleAttr settings) {
  SmallVector<Marked> gradients = markedResults(func, kGradientAttr);
  ConstantOp seed = findSeed(func);
  if (!seed || failed(checkTypes(seed, gradients)))
    return failure();

  OpBuilder builder(func.getContext());
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  SignatureEditor signature(func);
  FailureOr<Value> scale = signature.addState(
      {"scaler.scale", scalar, "scaler",
       FillAttr::get(func.getContext(), settings.getInit()), ""});
  if (failed(scale))
    return failure();

  builder.setInsertionPointAfter(seed);
  auto scaled =
      ScaleOp::create(builder, seed.getLoc(), seed.getType(), seed, *scale);
  seed.getResult().replaceAllUsesExcept(scaled, scaled);

  // The seed itself can be a gradient: take the values again.
  gradients = markedResults(func, kGradientAttr);
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (const Marked &gradient : gradients) {
    values.push_back(gradient.value);
    types.push_back(gradient.value.getType());
  }
  types.push_back(RankedTensorType::get({}, builder.getI1Type()));
  builder.setInsertionPoint(func.getBody().front().getTerminator());
  auto unscale =
      UnscaleOp::create(builder, func.getLoc(), types, *scale, values);
  for (auto [gradient, value] : llvm::zip(gradients, unscale.getUnscaled()))
    signature.setResult(gradient.index, value);
  signature.addResult(unscale.getFoundInf(), kOutputAttr, "found_inf");
  signature.addResult(*scale, kOutputAttr, "scale");
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
    if (training->getLossScale().getMode() == "none" ||
        markedResults(func, kGradientAttr).empty())
      return success();
    return scale(func, training->getLossScale());
  }

  void runOnOperation() override {
    for (FuncOp func : entryFunctions(getOperation(), "step"))
      if (failed(runOn(func)))
        return signalPassFailure();
  }
};
} // namespace
