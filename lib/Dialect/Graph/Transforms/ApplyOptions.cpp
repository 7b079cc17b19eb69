// Purpose: write the effective training attribute on every model, so that the
// passes behind read one place and the dump shows it first.
// A model is a function with an argument or result that the graph dialect
// marks; other functions are left alone.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Dialect/Graph/Transforms/TrainingSettings.h"

namespace mpc::graph {
#define GEN_PASS_DEF_APPLYOPTIONS
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
namespace remark = mlir::remark;

namespace {

void checkScaling(mlir::func::FuncOp func, TrainingAttr training) {
  if (!training.getOptimizer())
    return;
  bool scales = training.getLossScale().getMode() != "none";
  StringRef precision = training.getPrecision();
  if (precision == "fp16" && !scales)
    func.emitWarning("fp16 without loss scaling: gradients below 2^-24 become "
                     "zero; loss_scale with mode \"dynamic\" prevents it");
  if (precision != "fp16" && scales)
    remark::analysis(func.getLoc(), remark::RemarkOpts::name("loss-scale")
                                        .category("mpc-apply-options")
                                        .function(func.getName()))
        << (precision + " has the range of f32: loss scaling only costs the "
                        "skip check")
               .str();
}

struct ApplyOptions final : impl::ApplyOptionsBase<ApplyOptions> {
  using Base::Base;

  FailureOr<TrainingAttr> effective(mlir::func::FuncOp func) {
    auto emitError = [&] { return func.emitError(); };
    TrainingSettings settings(func->getAttrOfType<TrainingAttr>(kTrainingAttr));
    const std::pair<StringRef, const std::string *> fields[] = {
        {"precision", &precision.getValue()},
        {"autocast", &autocast.getValue()},
        {"rounding", &rounding.getValue()},
        {"loss-scale", &lossScale.getValue()},
        {"scale-init", &scaleInit.getValue()},
        {"scale-growth", &scaleGrowth.getValue()},
        {"scale-backoff", &scaleBackoff.getValue()},
        {"scale-interval", &scaleInterval.getValue()},
        {"optimizer", &optimizer.getValue()},
        {"lr", &lr.getValue()},
        {"weight-decay", &weightDecay.getValue()},
        {"momentum", &momentum.getValue()},
        {"nesterov", &nesterov.getValue()},
        {"beta1", &beta1.getValue()},
        {"beta2", &beta2.getValue()},
        {"epsilon", &epsilon.getValue()},
        {"clip-norm", &clipNorm.getValue()},
        {"bucket-bytes", &bucketBytes.getValue()}};
    for (auto [option, text] : fields)
      if (failed(settings.set(option, *text, emitError)))
        return failure();
    return settings.build(&getContext(), emitError);
  }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<mlir::func::FuncOp>()) {
      if (!isModelFunction(func) || func->hasAttr(kEntryAttr))
        continue;
      FailureOr<TrainingAttr> training = effective(func);
      if (failed(training))
        return signalPassFailure();
      func->setAttr(kTrainingAttr, *training);
      checkScaling(func, *training);
    }
  }
};

} // namespace
