// The options of the compiler as text, and the named pipelines that take them.
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mpc/Pipelines/Pipelines.h"

using namespace mpc;

#define MPC_TRAINING_OPTION(name, member, help)                                \
  PipelineOption {                                                             \
    name, help, [](PipelineOptions &options) -> std::string & {                \
      return options.training.member;                                          \
    }                                                                          \
  }
#define MPC_OPTION(name, member, help)                                         \
  PipelineOption {                                                             \
    name, help, [](PipelineOptions &options) -> std::string & {                \
      return options.member;                                                   \
    }                                                                          \
  }

ArrayRef<PipelineOption> mpc::pipelineOptions() {
  static const PipelineOption options[] = {
      MPC_OPTION("target", target, "what to compile for: cpu or cuda"),
      MPC_TRAINING_OPTION("precision", precision, "fp32, bf16 or fp16"),
      MPC_TRAINING_OPTION("autocast", autocast,
                          "how precisions are decided: cheapest or torch"),
      MPC_OPTION("device", device, "lists of autocast=torch: cuda or cpu"),
      MPC_OPTION("policy", policy,
                 "policy overrides, e.g. graph.softmax=Deny,loc:.*head.*=Deny"),
      MPC_OPTION("policy-file", policyFile, "JSON file of policy overrides"),
      MPC_TRAINING_OPTION("rounding", rounding, "fused or strict"),
      MPC_TRAINING_OPTION("loss-scale", lossScale,
                          "none, dynamic, static, or a number (static)"),
      MPC_TRAINING_OPTION("scale-init", scaleInit, "first loss scale"),
      MPC_TRAINING_OPTION("scale-growth", scaleGrowth,
                          "factor after scale-interval finite steps"),
      MPC_TRAINING_OPTION("scale-backoff", scaleBackoff,
                          "factor after a skipped step"),
      MPC_TRAINING_OPTION("scale-interval", scaleInterval,
                          "finite steps before the scale grows"),
      MPC_TRAINING_OPTION("optimizer", optimizer, "sgd or adamw"),
      MPC_TRAINING_OPTION("lr", lr, "learning rate"),
      MPC_TRAINING_OPTION("weight-decay", weightDecay, "weight decay"),
      MPC_TRAINING_OPTION("momentum", momentum, "momentum of sgd"),
      MPC_TRAINING_OPTION("nesterov", nesterov, "true or false, for sgd"),
      MPC_TRAINING_OPTION("beta1", beta1, "first decay of adamw"),
      MPC_TRAINING_OPTION("beta2", beta2, "second decay of adamw"),
      MPC_TRAINING_OPTION("epsilon", epsilon, "epsilon of adamw"),
      MPC_TRAINING_OPTION("clip-norm", clipNorm,
                          "largest norm of all gradients, 0 for none"),
      MPC_OPTION("weight-copies", weightCopies,
                 "16-bit weights: persistent or on-the-fly"),
      MPC_OPTION("reduce", reduce,
                 "how ranks are combined: average, sum, or none for one rank"),
      MPC_TRAINING_OPTION("bucket-bytes", bucketBytes,
                          "bytes of one all-reduce"),
  };
  return options;
}

namespace {

/// The same options for `--mpc-train="precision=fp16 ..."`.
struct TextOptions final : mlir::PassPipelineOptions<TextOptions> {
  TextOptions() {
    PipelineOptions defaults;
    for (const PipelineOption &option : pipelineOptions())
      texts.push_back(std::make_unique<Option<std::string>>(
          *this, option.name, llvm::cl::desc(option.help),
          llvm::cl::init(option.field(defaults))));
  }

  PipelineOptions get() const {
    PipelineOptions options;
    for (auto [option, text] : llvm::zip(pipelineOptions(), texts))
      option.field(options) = text->getValue();
    return options;
  }

  std::vector<std::unique_ptr<Option<std::string>>> texts;
};

using Build = std::function<void(mlir::OpPassManager &, PipelineOptions)>;

void registerPipeline(StringRef name, StringRef summary, Build build) {
  mlir::PassPipelineRegistration<TextOptions>(
      name, summary,
      [build](mlir::OpPassManager &pm, const TextOptions &options) {
        build(pm, options.get());
      });
}

} // namespace

void mpc::registerPipelines() {
  registerPipeline("mpc-train", "All stages from a model to its training step",
                   [](mlir::OpPassManager &pm, PipelineOptions options) {
                     buildPipeline(pm, std::nullopt, Stage::Exec, options);
                   });
  registerPipeline("mpc-infer", "All stages from a model to its forward entry",
                   [](mlir::OpPassManager &pm, PipelineOptions options) {
                     options.inference = true;
                     buildPipeline(pm, std::nullopt, Stage::Exec, options);
                   });
  for (Stage stage : allStages())
    if (stage != Stage::Program)
      registerPipeline(
          "mpc-stage-" + getName(stage).str(),
          "Stage " + getName(stage).str() + " and its gate",
          [stage](mlir::OpPassManager &pm, PipelineOptions options) {
            buildStage(pm, stage, options);
          });
}
