// The options of the compiler as text, and the named pipelines that take them.
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mpc/Dialect/Graph/Precision/PolicyRules.h"
#include "mpc/Dialect/Graph/Precision/PrecisionProfile.h"
#include "mpc/Dialect/Graph/Settings/SettingNeeds.h"
#include "mpc/Dialect/Graph/Training/ApplySettings.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Pipelines/Pipelines.h"
#include "mpc/Text/Numbers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;

using EmitError = PipelineOption::EmitError;
using graph::TrainingSettings;

//===-- Choices of how to compile ----------------------------------------===//

static PipelineOption choice(StringRef name, std::string PipelineOptions::*text,
                             std::string metavar, StringRef help) {
  PipelineOption option;
  option.name = name;
  option.help = help.str();
  option.field = [text](PipelineOptions &options) -> std::string & {
    return options.*text;
  };
  option.metavar = std::move(metavar);
  option.group = "Compilation";
  return option;
}

/// A choice with these values alone.
static PipelineOption wordChoice(StringRef name,
                                 std::string PipelineOptions::*text,
                                 std::vector<StringRef> words, StringRef help) {
  PipelineOption option = choice(name, text, llvm::join(words, "|"), help);
  option.words = std::move(words);
  option.takesOnlyWords = true;
  return option;
}

static std::vector<StringRef> targetWords() {
  std::vector<StringRef> words;
  for (const TargetDescription &target : allTargets())
    words.push_back(target.name);
  return words;
}

static LogicalResult judgeShare(StringRef text, EmitError emitError) {
  graph::ProfileThresholds thresholds;
  return thresholds.parseShare(text, thresholds.overflow, emitError);
}

static LogicalResult judgePolicy(StringRef text, EmitError emitError) {
  return graph::PolicyRules().addList(text, emitError);
}

/// Larger ones are beyond every limit on sizes.
static LogicalResult judgeBatch(StringRef text, EmitError emitError) {
  int64_t batch = 0;
  if (!text.getAsInteger(10, batch) && batch >= 1 &&
      batch <= std::numeric_limits<int32_t>::max())
    return success();
  return emitError() << "expected a whole number from 1 to 2^31 - 1";
}

static LogicalResult judgeBytes(StringRef text, EmitError emitError) {
  if (parseBytes(text))
    return success();
  return emitError() << "expected a number of bytes from 1 to 2^62, as in "
                        "4000000, 512MiB or 1.5GiB";
}

int64_t PipelineOptions::batchSize() const {
  if (batch.empty())
    return 0;
  int64_t size = 0; // The pass refuses what is below 1.
  return StringRef(batch).getAsInteger(10, size) || size < 1 ? -1 : size;
}

int64_t PipelineOptions::memoryLimitBytes() const {
  return memoryLimit.empty() ? 0 : parseBytes(memoryLimit).value_or(-1);
}

/// The flags that alone take from `option` what it needs.
static std::vector<StringRef> flagsAgainst(const PipelineOption &option) {
  constexpr std::pair<StringRef, bool PipelineOptions::*> flags[] = {
      {"inference", &PipelineOptions::inference},
      {"probe", &PipelineOptions::probe}};
  auto findUnmet = [&](const PipelineOptions &options) {
    return graph::findUnmet(option.modelNeeds, TrainingSettings(),
                            options.builtParts());
  };
  std::vector<StringRef> found;
  for (auto [name, flag] : flags) {
    PipelineOptions options;
    options.*flag = true;
    if (findUnmet(options) != findUnmet(PipelineOptions()))
      found.push_back(name);
  }
  return found;
}

static std::vector<PipelineOption> makeChoices() {
  using PO = PipelineOptions;
  std::vector<PipelineOption> options = {
      wordChoice("target", &PO::target, targetWords(), "what to compile for"),
      choice("policy", &PO::policy, "RULES",
             "policy overrides, e.g. graph.softmax=Deny,loc:.*head.*=Deny"),
      choice("policy-file", &PO::policyFile, "FILE",
             "JSON file of policy overrides"),
      choice("precision-profile", &PO::precisionProfile, "FILE",
             "range profile: what leaves the narrow type runs in f32"),
      choice("profile-overflow", &PO::profileOverflow, "SHARE",
             "share of elements that may overflow by the profile (0)"),
      choice("profile-flush", &PO::profileFlush, "SHARE",
             "share of elements that may become zero by the profile (0.1)"),
      choice("batch", &PO::batch, "N",
             "samples per batch, where the model was written for others"),
      choice("memory-limit", &PO::memoryLimit, "BYTES",
             "what the program may need, e.g. 512MiB: what would not fit is "
             "computed again in the backward"),
      wordChoice("lint", &PO::lint, {"warning", "error", "off"},
                 "what is said about risky precision"),
      wordChoice("reduce", &PO::reduce, {"average", "sum", "none"},
                 "how ranks are combined; none: there is one"),
  };
  for (PipelineOption &option : options) {
    if (option.metavar == "SHARE") {
      option.judge = judgeShare;
      option.needs = "precision-profile";
    }
    if (option.name == "policy")
      option.judge = judgePolicy;
    if (option.name == "policy" || option.name == "policy-file" ||
        option.name == "precision-profile")
      option.modelNeeds = {&graph::kNarrow};
    if (option.name == "batch")
      option.judge = judgeBatch;
    if (option.name == "memory-limit") { // a step, that keeps values
      option.judge = judgeBytes;
      option.modelNeeds = {&graph::kStep, &graph::kUpdate};
    }
    if (option.name == "reduce") // gradients, of ranks that a probe has not
      option.modelNeeds = {&graph::kStep, &graph::kUpdate};
    option.excludes = flagsAgainst(option);
  }
  return options;
}

//===-- Settings of how to train -----------------------------------------===//

static StringRef groupOf(graph::SettingKind kind) {
  switch (kind) {
  case graph::SettingKind::Precision:
    return "Precision";
  case graph::SettingKind::Scale:
    return "Loss scaling";
  case graph::SettingKind::Update:
    return "Optimizer, clipping and schedule";
  case graph::SettingKind::Accumulate:
  case graph::SettingKind::Reduce:
    return "Accumulation and ranks";
  }
  llvm_unreachable("every kind has a group");
}

namespace {
/// What stands for the value of a field.
struct Metavar {
  std::string operator()(graph::WordRef) const { return "WORD"; }
  std::string operator()(const graph::PNorm *) const { return "WORD"; }
  std::string operator()(const std::string *) const { return "NAME"; }
  std::string operator()(const graph::Pattern *) const { return "REGEX"; }
  std::string operator()(const graph::Real *) const { return "NUMBER"; }
  std::string operator()(const int64_t *) const { return "N"; }
  std::string operator()(const bool *) const { return "true|false"; }
  template <typename Value>
  std::string operator()(const std::optional<Value> *) const {
    return (*this)(static_cast<const Value *>(nullptr));
  }
};
} // namespace

static std::string metavarOf(const graph::Setting &setting) {
  if (setting.preset != graph::Preset::None)
    return "NAME";
  return std::visit(Metavar(), graph::read(setting.field, TrainingSettings()));
}

static PipelineOption makeOption(const graph::Setting &setting) {
  PipelineOption option;
  option.name = setting.name;
  option.help = graph::helpOf(setting);
  option.field = [&setting](PipelineOptions &options) -> std::string & {
    return options.training[setting.name.str()];
  };
  option.metavar = metavarOf(setting);
  option.group = groupOf(setting.kind);
  option.words = graph::wordsOf(setting);
  if (graph::isFlag(setting))
    option.words = {"true", "false"};
  option.takesOnlyWords =
      !option.words.empty() && setting.preset == graph::Preset::None;
  if (option.takesOnlyWords)
    option.metavar = llvm::join(option.words, "|");
  if (setting.name == "rounding") // a probe sees values as they are stored
    option.excludes = {"probe"};
  option.judge = [&setting](StringRef text, EmitError emitError) {
    TrainingSettings settings;
    if (failed(graph::applyTextsUnnamed(
            settings, {{setting.name.str(), text.str()}}, emitError)))
      return failure();
    if (graph::holds<int64_t *>(setting))
      return graph::verifyRange(settings, setting, emitError);
    return success();
  };
  return option;
}

//===-- All of them ------------------------------------------------------===//

static std::vector<PipelineOption> makeOptions() {
  std::vector<PipelineOption> options = makeChoices();
  for (const graph::Setting &setting : graph::trainingSettings())
    options.push_back(makeOption(setting));
  return options;
}

ArrayRef<PipelineOption> mpc::pipelineOptions() {
  static const std::vector<PipelineOption> options = makeOptions();
  return options;
}

std::optional<std::string> mpc::findMistake(const PipelineOption &option,
                                            StringRef text) {
  if (option.takesOnlyWords && !llvm::is_contained(option.words, text))
    return "expected " + graph::listWords(option.words);
  if (text.empty()) // which would be as good as absent
    return option.metavar == "REGEX"
               ? "expected a regular expression, or 'none' against what the "
                 "model says"
               : "expected a value, but got an empty text";
  if (!option.judge)
    return std::nullopt;
  // Texts are judged by the functions that passes read them with, which report
  // diagnostics.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string mistake;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          mistake = diagnostic.str();
                                          return success();
                                        });
  auto emitError = [&] {
    return mlir::emitError(mlir::UnknownLoc::get(&context));
  };
  if (succeeded(option.judge(text, emitError)))
    return std::nullopt;
  return mistake;
}

std::optional<std::string> mpc::findUnused(PipelineOptions options,
                                           const TrainingSettings &settings,
                                           graph::BuiltParts parts) {
  for (const PipelineOption &option : pipelineOptions()) {
    const std::string &text = option.field(options);
    auto *unmet = graph::findUnmet(option.modelNeeds, settings, parts);
    if (unmet && !text.empty())
      return "--" + option.name.str() + "=" + text + ": " +
             graph::describeUnmet(*unmet);
  }
  return std::nullopt;
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

using Build =
    std::function<void(mlir::OpPassManager &, const PipelineOptions &)>;

void registerPipeline(StringRef name, StringRef summary, const Build &build) {
  mlir::PassPipelineRegistration<TextOptions>(
      name, summary,
      [build](mlir::OpPassManager &pm, const TextOptions &options) {
        build(pm, options.get());
      });
}

} // namespace

void mpc::registerPipelines() {
  registerPipeline("mpc-train", "All stages from a model to its training step",
                   [](mlir::OpPassManager &pm, const PipelineOptions &options) {
                     buildPipeline(pm, std::nullopt, Stage::Exec, options);
                   });
  registerPipeline("mpc-infer", "All stages from a model to its forward entry",
                   [](mlir::OpPassManager &pm, const PipelineOptions &options) {
                     PipelineOptions inference = options;
                     inference.inference = true;
                     buildPipeline(pm, std::nullopt, Stage::Exec, inference);
                   });
  for (Stage stage : allStages())
    if (stage != Stage::Program)
      registerPipeline(
          "mpc-stage-" + getName(stage).str(),
          "Stage " + getName(stage).str() + " and its gate",
          [stage](mlir::OpPassManager &pm, const PipelineOptions &options) {
            buildStage(pm, stage, options);
          });
}
