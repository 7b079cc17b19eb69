// Purpose: write the effective training attribute on every model, so that the
// passes after read one place and the dump shows it first.
// A model is a function with an argument or result that the graph dialect
// marks; other functions are left alone.
#include "../SettingOptions.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/Analysis/ParameterGroups.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include <cmath>

namespace mpc::graph {
#define GEN_PASS_DEF_APPLYOPTIONS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
namespace remark = mlir::remark;

namespace {

/// Scaling by a power of two changes exponents only; other factors round every
/// scaled and unscaled value.
bool isPowerOfTwo(double value) {
  int exponent;
  return std::frexp(value, &exponent) == 0.5;
}

void checkFactors(mlir::func::FuncOp func, LossScaleAttr scale) {
  const std::pair<StringRef, Real> factors[] = {{"first value", scale->init},
                                                {"growth", scale->growth},
                                                {"backoff", scale->backoff}};
  for (auto [field, value] : factors)
    if (!isPowerOfTwo(value.value) &&
        (scale->mode == ScaleMode::Dynamic || field == "first value"))
      func.emitWarning()
          << "the loss scale's " << field << " " << value
          << " is no power of two: scaling rounds every gradient";
}

void checkScaling(mlir::func::FuncOp func, TrainingAttr training,
                  BuiltParts parts) {
  LossScaleAttr scale = training.getLossScale();
  bool scales = scale->mode != ScaleMode::None;
  if (scales)
    checkFactors(func, scale);
  if (!training.getOptimizer())
    return;
  Precision precision = training.getNumerics().precision;
  if (precision == Precision::Fp16 && !scales)
    func.emitWarning("fp16 without loss scaling: gradients below 2^-24 become "
                     "zero; loss_scale with mode \"dynamic\" prevents it");
  // On the way gradients are f16 whatever ops run in.
  bool travelsAsF16 =
      parts.allReduce && training.getStep().reduceType == ReduceType::F16;
  if (travelsAsF16 && scales)
    return;
  if (travelsAsF16 && precision != Precision::Fp16)
    func.emitWarning(
        "reduce_type f16 without loss scaling: gradients below 2^-24 become "
        "zero between ranks, and above 65504 infinite; loss_scale with mode "
        "\"dynamic\" prevents it, and reduce_type bf16 has the range of f32");
  constexpr StringRef useless =
      " has the range of f32: loss scaling only costs the skip check";
  if (precision == Precision::Bf16 && scales)
    func.emitWarning() << "bf16 with loss scaling: " << stringifyEnum(precision)
                       << useless << "; loss_scale with mode \"none\" saves it";
  if (precision == Precision::Fp32 && scales)
    remark::analysis(func.getLoc(), remark::RemarkOpts::name("loss-scale")
                                        .category("mpc-apply-options")
                                        .function(func.getName()))
        << (stringifyEnum(precision) + useless).str();
}

void warnOfGroups(mlir::func::FuncOp func, TrainingAttr training,
                  const OverriddenModel &model) {
  SmallVector<StringRef> parameters;
  for (const Marked &parameter : markedArguments(func, kParameterAttr))
    parameters.push_back(parameter.name);
  ParameterGroups groups(training, parameters);
  groups.warnUnmatched(func.getLoc());
  if (model.parts.step)
    groups.warnUntrained(func.getLoc(), model.parameters);
}

struct ApplyOptions final : WithSettings<impl::ApplyOptionsBase<ApplyOptions>> {
  using WithSettings::WithSettings;
  ApplyOptions(const SettingTexts &texts, ApplyOptionsOptions options)
      : WithSettings(options) {
    for (const auto &[name, text] : texts)
      setOption(name, text);
  }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<mlir::func::FuncOp>()) {
      if (!isModelFunction(func) || func->hasAttr(kEntryAttr))
        continue;
      BuiltParts parts;
      parts.step = !forwardOnly;
      parts.update = parts.step && !probe;
      parts.allReduce = !oneRank;
      FailureOr<TrainingAttr> training = effectiveTraining(func, parts);
      if (failed(training))
        return signalPassFailure();
      func->setAttr(kTrainingAttr, *training);
      checkScaling(func, *training, parts);
      warnOfGroups(func, *training, describeModel(func, parts));
    }
  }
};

} // namespace

std::unique_ptr<mlir::Pass>
graph::createApplyOptions(const SettingTexts &texts,
                          ApplyOptionsOptions options) {
  return std::make_unique<ApplyOptions>(texts, options);
}
