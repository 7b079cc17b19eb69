// The options of the compiler as text, and the named pipelines that take them.
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mpc/Pipelines/Pipelines.h"

using namespace mpc;

static PipelineOption choice(StringRef name, std::string PipelineOptions::*text,
                             StringRef help, bool isFile = false) {
  return {name, help,
          [text](PipelineOptions &options) -> std::string & {
            return options.*text;
          },
          isFile};
}

/// Choices of how to compile, then the settings of how to train.
static std::vector<PipelineOption> makeOptions() {
  std::vector<PipelineOption> options = {
      choice("target", &PipelineOptions::target,
             "what to compile for: cpu or cuda"),
      choice("policy", &PipelineOptions::policy,
             "policy overrides, e.g. graph.softmax=Deny,loc:.*head.*=Deny"),
      choice("policy-file", &PipelineOptions::policyFile,
             "JSON file of policy overrides", /*isFile=*/true),
      choice("precision-profile", &PipelineOptions::precisionProfile,
             "range profile: what leaves the narrow type runs in f32",
             /*isFile=*/true),
      choice("profile-overflow", &PipelineOptions::profileOverflow,
             "share of elements that may overflow by the profile (0)"),
      choice("profile-flush", &PipelineOptions::profileFlush,
             "share of elements that may become zero by the profile (0.1)"),
      choice("lint", &PipelineOptions::lint,
             "what is said about risky precision: warning, error or off"),
      choice("reduce", &PipelineOptions::reduce,
             "how ranks are combined: average, sum, or none for one rank"),
  };
  for (const graph::Setting &setting : graph::trainingSettings())
    options.push_back({setting.name, setting.help,
                       [name = setting.name.str()](
                           PipelineOptions &options) -> std::string & {
                         return options.training[name];
                       }});
  return options;
}

ArrayRef<PipelineOption> mpc::pipelineOptions() {
  static const std::vector<PipelineOption> options = makeOptions();
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
