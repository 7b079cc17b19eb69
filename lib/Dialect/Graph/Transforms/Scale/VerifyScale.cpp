// Gate of stage scale: every path from a graph.scale to a result passes exactly
// one graph.unscale by the same scale, and every gradient is scaled.
#include "../StepFlow.h"
#include "mlir/IR/Verifier.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "mpc/Dialect/Graph/IR/States.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Program/Names.h"

namespace mpc::graph {
#define GEN_PASS_DEF_VERIFYSCALE
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<mlir::OpTrait::ConstantLike>();
}

static LogicalResult checkSeed(FuncOp func, const StepFlow &flow) {
  auto training = func->getAttrOfType<TrainingAttr>(kTrainingAttr);
  LossScaleAttr settings = training ? training.getLossScale() : nullptr;
  bool wanted = settings && settings->mode != ScaleMode::None;
  for (Operation &op : func.getBody().front()) {
    if (!op.hasAttr(kSeedAttr) || (!wanted && flow.scales.empty()))
      continue;
    if (flow.scales.empty())
      return op.emitError()
             << "expected the seed to be scaled, because "
                "loss_scale is "
             << stringifyEnum(settings->mode) << ", but got no graph.scale";
    for (Operation *user : op.getUsers()) {
      if (isa<ScaleOp>(user))
        continue;
      auto error = user->emitError(
          "expected the seed to be used by graph.scale only, but got a use "
          "that bypasses the scale");
      error.attachNote(op.getLoc()) << "the seed";
      return error;
    }
  }
  return success();
}

static LogicalResult checkScales(FuncOp func, const StepFlow &flow) {
  for (ScaleOp scale : flow.scales) {
    if (Operation *first = flow.scaledAt(scale.getInput())) {
      auto error = scale.emitError("expected a value that is not scaled, but "
                                   "got one that is scaled twice");
      error.attachNote(first->getLoc()) << "scaled here first";
      return error;
    }
    if (!isScaleArgument(func, scale.getScale()))
      return scale.emitError("expected the scale to be the state of a scaler, "
                             "'scaler.scale' or 'scaler.<loss>.scale', but got "
                             "another value");
  }
  return success();
}

/// The state that `divisor` is: itself, or with divide_by_next what it becomes.
static Value dividedState(FuncOp func, Value divisor) {
  auto training = func->getAttrOfType<TrainingAttr>(kTrainingAttr);
  auto update = divisor.getDefiningOp<ScalerUpdateOp>();
  bool mayBeNext = update && training && training.getLossScale() &&
                   training.getLossScale()->divideByNext &&
                   isConstant(update.getFoundInf());
  return mayBeNext ? update.getScale() : divisor;
}

static LogicalResult checkGradient(FuncOp func, const StepFlow &flow,
                                   UnscaleOp unscale, unsigned index) {
  Value gradient = unscale.getGradients()[index];
  Operation *scale = flow.scaledAt(gradient);
  if (!scale && isZero(gradient))
    return success();
  if (!scale) {
    auto error = unscale.emitError()
                 << "expected scaled gradients, but got gradient #" << index
                 << ", which no graph.scale reaches";
    if (Operation *first = flow.unscaledAt(gradient))
      error.attachNote(first->getLoc()) << "unscaled here first";
    return error;
  }
  if (Operation *first = flow.unscaledAt(gradient)) {
    auto error = unscale.emitError()
                 << "expected gradient #" << index
                 << " to be unscaled once, but a path from the seed to it "
                    "passes another graph.unscale";
    error.attachNote(first->getLoc()) << "unscaled here first";
    return error;
  }
  if (flow.otherScaleOf(gradient)) {
    auto error = unscale.emitError()
                 << "expected gradient #" << index
                 << " to be scaled by one scale, but got one that the scales "
                    "of two losses reach; unscale each before they are added";
    error.attachNote(scale->getLoc()) << "scaled here";
    return error;
  }
  if (flow.scaleOf(gradient) != dividedState(func, unscale.getScale())) {
    auto error = unscale.emitError()
                 << "expected gradient #" << index
                 << " to be unscaled by the scale it was multiplied by, but "
                    "got another";
    error.attachNote(scale->getLoc()) << "scaled here";
    return error;
  }
  return success();
}

static LogicalResult checkUnscales(FuncOp func, const StepFlow &flow) {
  for (UnscaleOp unscale : flow.unscales)
    for (unsigned i = 0, e = unscale.getGradients().size(); i < e; ++i)
      if (failed(checkGradient(func, flow, unscale, i)))
        return failure();
  return success();
}

static LogicalResult checkResults(FuncOp func, const StepFlow &flow) {
  for (auto [index, value] :
       llvm::enumerate(func.getBody().front().getTerminator()->getOperands())) {
    if (Operation *scale = flow.scaledAt(value)) {
      auto error = mlir::emitError(locationOf(value, func))
                   << "expected every result to be unscaled, but result #"
                   << index << " is still scaled";
      error.attachNote(scale->getLoc()) << "scaled here";
      return error;
    }
    auto gradient = func.getResultAttrOfType<StringAttr>(index, kGradientAttr);
    if (gradient && !flow.unscaledAt(value) && !isZero(value))
      return mlir::emitError(locationOf(value, func))
             << "expected the gradient of '" << gradient.getValue()
             << "' to come from graph.unscale, but got one that bypasses it";
  }
  return success();
}

namespace {
struct VerifyScale final : impl::VerifyScaleBase<VerifyScale> {
  using Base::Base;
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(mlir::verify(getOperation())) ||
        failed(verifyStates(getOperation())))
      return signalPassFailure();
    for (FuncOp func : entryFunctions(getOperation(), program::kStepEntry)) {
      StepFlow flow(func);
      bool unscaled = flow.scales.empty() && flow.unscales.empty();
      if (failed(checkSeed(func, flow)) ||
          (!unscaled && (failed(checkScales(func, flow)) ||
                         failed(checkUnscales(func, flow)) ||
                         failed(checkResults(func, flow)))))
        return signalPassFailure();
    }
  }
};
} // namespace
