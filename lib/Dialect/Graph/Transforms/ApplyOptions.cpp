// Purpose: write the effective training attribute on every model, so that the
// passes behind read one place and the dump shows it first.
// A model is a function with an argument or result that the graph dialect
// marks; other functions are left alone.
#include "SettingOptions.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"

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

struct ApplyOptions final : WithSettings<impl::ApplyOptionsBase<ApplyOptions>> {
  ApplyOptions() = default;
  explicit ApplyOptions(const SettingTexts &texts) {
    for (const auto &[name, text] : texts)
      setOption(name, text);
  }

  void runOnOperation() override {
    for (auto func : getOperation().getOps<mlir::func::FuncOp>()) {
      if (!isModelFunction(func) || func->hasAttr(kEntryAttr))
        continue;
      FailureOr<TrainingAttr> training = effectiveTraining(func);
      if (failed(training))
        return signalPassFailure();
      func->setAttr(kTrainingAttr, *training);
      checkScaling(func, *training);
    }
  }
};

} // namespace

std::unique_ptr<mlir::Pass>
graph::createApplyOptions(const SettingTexts &texts) {
  return std::make_unique<ApplyOptions>(texts);
}
