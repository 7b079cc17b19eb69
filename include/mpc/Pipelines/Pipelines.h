// The compiler as a list of passes, stage by stage (lib/Pipelines/Pipelines.cpp
// tells why each pass stands where it does).
#ifndef MPC_PIPELINES_PIPELINES_H
#define MPC_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Graph/Settings/SettingNeeds.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"
#include "mpc/Pipelines/Stages.h"

namespace mpc {

/// What can be chosen. Texts are checked by the passes that read them; an empty
/// one is not given, and leaves the choice to them.
struct PipelineOptions {
  /// A target of mpc/Interfaces/Target.h; an empty text keeps the module's,
  /// or takes cpu.
  std::string target;
  /// Overrides of `graph.training`; an empty text keeps the model's value.
  graph::SettingTexts training;
  /// Policy overrides of autocast and a JSON file of them.
  std::string policy, policyFile;
  /// A range profile for autocast, and the shares of elements above which a
  /// value of it needs f32.
  std::string precisionProfile, profileOverflow, profileFlush;
  /// Warnings about precision: warning, error or off.
  std::string lint;
  /// How ranks are combined: average, sum or none; an empty text is average.
  std::string reduce;
  /// Samples per batch; an empty text keeps the model's.
  std::string batch;
  int64_t batchSize() const;
  /// Bytes that a program may need, state and work block together; an empty
  /// text is no limit.
  std::string memoryLimit;
  int64_t memoryLimitBytes() const;
  /// Where what was chosen for it is printed; null: nowhere.
  llvm::raw_ostream *report = nullptr;
  /// Shown the planned module, at stage `exec`, that comes nearest to a limit
  /// which nothing meets, before the error is told. May be null.
  std::function<void(ModuleOp)> onRefusedLimit = nullptr;
  /// Build the forward entry only.
  bool inference = false;
  /// With `inference`: no loss, and no input that only the loss is for.
  bool dropLoss = false;
  /// Build the entry `probe` instead of the step (or of the forward entry):
  /// every value observed and rounded to its type, no state changed, one rank
  /// by itself.
  bool probe = false;
  /// A parameter that is not trained is an error.
  bool werror = false;

  /// What is built, by which settings are judged.
  graph::BuiltParts builtParts() const {
    graph::BuiltParts parts;
    parts.step = !inference;
    parts.update = !inference && !probe;
    parts.allReduce = reduce != "none" && !probe;
    return parts;
  }
};

/// One option as every tool spells it.
struct PipelineOption {
  using EmitError = function_ref<InFlightDiagnostic()>;

  StringRef name;
  std::string help;
  std::function<std::string &(PipelineOptions &)> field;
  /// What stands for its value in help; FILE for the path of a file that is
  /// read.
  std::string metavar;
  /// The heading that it stands under in help.
  StringRef group;
  /// The values that have a name.
  std::vector<StringRef> words = {};
  /// Whether there are no others.
  bool takesOnlyWords = false;
  /// The option without which it would do nothing.
  StringRef needs = {};
  /// What it would do nothing without, of a model's settings or of what is
  /// built. Settings have needs of their own.
  std::vector<const graph::SettingNeed *> modelNeeds = {};
  /// The flags with which it would do nothing, whatever the model is.
  std::vector<StringRef> excludes = {};
  /// Fails where a text is wrong whatever the model is; null for texts that
  /// only a pass can judge.
  std::function<LogicalResult(StringRef text, EmitError)> judge = nullptr;

  bool isFile() const { return metavar == "FILE"; }
};

/// All options that have a text, in the order in which help shows them.
ArrayRef<PipelineOption> pipelineOptions();

/// What is wrong with `text` as the value of `option`, whatever the model is;
/// nothing if it may be right.
std::optional<std::string> findMistake(const PipelineOption &option,
                                       StringRef text);

/// What is wrong with the first of `options` that would do nothing for a model
/// that is trained by `settings`, of which `parts` are built; nothing if all
/// have an effect. Settings are judged with the model's (SettingOverrides.h).
std::optional<std::string> findUnused(PipelineOptions options,
                                      const graph::TrainingSettings &settings,
                                      graph::BuiltParts parts);

/// Adds the passes of the stages after `from` (or from the first stage) up to
/// `to`, each with its gate; in front of them the gate of `from`, which they
/// rely on. Stage `program` has no pass: mpc-compile writes the program from a
/// module at stage `exec`.
void buildPipeline(mlir::OpPassManager &pm, std::optional<Stage> from, Stage to,
                   const PipelineOptions &options);

/// Adds the passes of one stage and its gate; first of all, with a target in
/// the options, the pass that sets it.
void buildStage(mlir::OpPassManager &pm, Stage stage,
                const PipelineOptions &options);

/// Adds the passes of the stages `group` and `exec`, without a limit and
/// without gates: for a copy that is planned and thrown away.
void buildTrialPlan(mlir::OpPassManager &pm);

/// Registers `mpc-train`, `mpc-infer` and `mpc-stage-<name>` for every stage.
void registerPipelines();

} // namespace mpc

#endif // MPC_PIPELINES_PIPELINES_H
