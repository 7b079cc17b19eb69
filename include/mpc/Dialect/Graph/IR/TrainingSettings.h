// `graph.training` in a form that can be changed field by field, and the one
// table of its settings: what an option is called, what it does, what it sets.
// Tools, pipelines and passes take their options from the table; the program
// file lists the settings by it.
//
// Read the attribute, apply texts, write the attribute back; its verifier
// judges the result. Fields of the optimizer can be set before the optimizer is
// chosen.
#ifndef MPC_DIALECT_GRAPH_IR_TRAININGSETTINGS_H
#define MPC_DIALECT_GRAPH_IR_TRAININGSETTINGS_H

#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "llvm/Support/Regex.h"
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mpc::graph {

/// Texts of settings by name. Empty texts are as good as absent.
using SettingTexts = std::map<std::string, std::string, std::less<>>;

/// A hyperparameter of an optimizer that a system has another default for than
/// the optimizer's op here.
struct HyperparameterDefault {
  StringRef optimizer, hyperparameter;
  double value;
};

struct Setting;

/// The fields of `graph.training` and its parts, with their defaults.
struct TrainingSettings {
  using EmitError = function_ref<InFlightDiagnostic()>;

  // graph.training
  std::string precision = "fp32", autocast = "cheapest", lists = "cuda";
  std::string output = "f32", rounding = "fused", weightCopies = "persistent";
  bool keepNormalization = false;
  int64_t accumulate = 1, bucketBytes = 26214400;
  /// Which gradients are outputs, a regular expression; empty: none.
  std::string outputGradients;
  mlir::ArrayAttr groups; ///< Of ParameterGroupAttr; has no option.
  // loss_scale
  std::string scaleMode = "none";
  double scaleInit = 65536.0, scaleGrowth = 2.0, scaleBackoff = 0.5;
  int64_t scaleInterval = 2000, scaleHysteresis = 1, scaleDelay = 0;
  std::string scaleRefill = "growth";
  double scaleFloor = 0x1p-14, scaleCeiling = 0.0;
  bool scaleGrowthGuard = true, scaleDivideByNext = false;
  std::string scaleOnFloor = "hold", scaleScope = "shared";
  // optimizer
  std::string optimizer; ///< Empty: none chosen.
  std::optional<double> lr;
  /// Those that somebody gave, by the names of Optimizer.td. What is not here
  /// is the optimizer's own default.
  std::map<std::string, std::variant<double, bool>, std::less<>>
      hyperparameters;
  std::string master = "f32";
  // clip
  double clipNorm = 0.0, clipValue = 0.0;
  std::string clipNormType = "2", clipFormula = "torch", clipScope = "global";
  std::string clipNonfinite = "propagate";
  // schedule
  std::string schedule = "constant";
  int64_t warmupSteps = 0, totalSteps = 0, decayPeriod = 0;
  double finalFactor = 0.0, decayGamma = 0.1;

  /// The settings of `attribute`, or the defaults when it is null.
  explicit TrainingSettings(TrainingAttr attribute);

  /// Sets what `texts` names, in the order of the table, so that presets give
  /// way to what is given beside them. Fails with an error that names the
  /// setting when a text is not a value of its kind.
  LogicalResult apply(const SettingTexts &texts, EmitError emitError);
  /// The same, with errors that do not name the setting.
  LogicalResult applyUnnamed(const SettingTexts &texts, EmitError emitError);

  /// Gives every hyperparameter that the optimizer takes and that is not set
  /// its value: for those who show settings.
  void setOwnDefaults(MLIRContext *context);

  /// The attribute, or failure after an error when a value is out of range.
  FailureOr<TrainingAttr> build(MLIRContext *context,
                                EmitError emitError) const;

private:
  using EmitErrorAt = function_ref<InFlightDiagnostic(const Setting &)>;
  LogicalResult applyAll(const SettingTexts &texts, EmitErrorAt emitError);
  void read(LossScaleAttr attribute);
  void read(OptimizerAttr attribute);
  void read(ClipAttr attribute);
  void read(ScheduleAttr attribute);
  FailureOr<OptimizerAttr> buildOptimizer(MLIRContext *context,
                                          EmitError emitError) const;

  friend LogicalResult applyProfile(TrainingSettings &, StringRef, EmitError);
  /// What the profile among the texts of `apply` says about optimizers, which
  /// come after it and may be the model's.
  ArrayRef<HyperparameterDefault> profileDefaults;
  void setProfileDefaults();
};

/// A word that stands for several fields ("dynamic", "megatron", or a number).
struct SettingPreset {
  /// Sets them; fails with an error that lists the words.
  LogicalResult (*set)(TrainingSettings &settings, StringRef text,
                       TrainingSettings::EmitError emitError);
  /// The field that tells best which preset it was, or null.
  std::string TrainingSettings::*shown;
  /// The setting that `text` is a value of, where it is no word: a loss-scale
  /// of 1024 says scale-init, and gives way to no other. Empty: none.
  StringRef (*says)(StringRef text) = nullptr;
};

/// An entry of `TrainingSettings::hyperparameters`, a number or a flag.
struct RealHyperparameter {
  StringRef name;
};
struct FlagHyperparameter {
  StringRef name;
};

/// A regular expression; empty for none.
struct PatternField {
  std::string TrainingSettings::*text;
};

/// What a setting sets.
using SettingField =
    std::variant<std::string TrainingSettings::*, double TrainingSettings::*,
                 std::optional<double> TrainingSettings::*,
                 int64_t TrainingSettings::*, bool TrainingSettings::*,
                 PatternField, RealHyperparameter, FlagHyperparameter,
                 SettingPreset>;

/// Which stage a setting belongs to: whose pass may override it.
enum class SettingKind { Precision, Scale, Accumulate, Reduce, Update };

/// The integers that a setting may be. Steps are counted in i32.
struct IntegerRange {
  int64_t lowest = std::numeric_limits<int64_t>::min();
  int64_t highest = std::numeric_limits<int64_t>::max();
};

/// What is built of a model, and of what kind that is, as far as settings are
/// of use to it. All is there until somebody looked.
struct BuiltParts {
  bool step = true;        ///< Not the entry forward alone.
  bool update = true;      ///< A step that changes state: no probe.
  bool allReduce = true;   ///< Ranks are combined.
  bool manyLosses = true;  ///< Which can have a scale each.
  bool manyGroups = true;  ///< Gradients of two groups or more.
  bool ungrouped = true;   ///< Some parameters to train are in no group.
  bool wideGroups = true;  ///< Parameter groups have masters of f32.
  bool noOptimizer = true; ///< The model names none.
};

/// What a setting is without effect without (SettingNeeds.h has them all).
struct SettingNeed {
  StringRef what; ///< "schedule linear or cosine", for messages.
  bool (*isMet)(const TrainingSettings &settings, BuiltParts parts);
};

/// What all settings of a kind are without effect without: how to train is
/// nothing to a program that cannot; at which precision to run is.
std::vector<const SettingNeed *> needsOf(SettingKind kind);

struct Setting {
  Setting(SettingKind kind, StringRef name, StringRef help, SettingField field,
          IntegerRange range = {})
      : kind(kind), name(name), help(help), field(field), range(range) {}
  Setting(SettingKind kind, StringRef name, StringRef help, SettingField field,
          std::vector<StringRef> words)
      : kind(kind), name(name), help(help), field(field),
        words(std::move(words)) {}

  /// The row of a setting that does nothing unless `need` is met, too.
  Setting with(const SettingNeed &need) && {
    needs.push_back(&need);
    return std::move(*this);
  }
  /// The row of a setting that a program without a step has a use for.
  Setting ofForward() && {
    needs.clear();
    return std::move(*this);
  }

  SettingKind kind;
  StringRef name, help;
  SettingField field;
  IntegerRange range = {};
  /// All of them; those of its kind come first. None: always of use.
  std::vector<const SettingNeed *> needs = needsOf(kind);
  /// All values of a word; of a preset those that have a name.
  std::vector<StringRef> words;
};

/// All settings; presets stand in front of what they set.
ArrayRef<Setting> trainingSettings();

/// Fails with an error unless `value` is in the range of the setting `name`.
LogicalResult verifyRange(StringRef name, int64_t value,
                          TrainingSettings::EmitError emitError);

/// Fails with an error unless `pattern` is a regular expression.
LogicalResult verifyPattern(StringRef pattern,
                            TrainingSettings::EmitError emitError);

/// Matches names that match `pattern` as a whole.
llvm::Regex wholeNames(StringRef pattern);

/// Fails with an error that lists `names` unless `pattern` matches one of them
/// as a whole.
LogicalResult verifyMatch(StringRef pattern, ArrayRef<StringRef> names,
                          TrainingSettings::EmitError emitError);

/// "a, b or c", for messages.
std::string listWords(ArrayRef<StringRef> words);

/// All values of the word `field`, by its row.
ArrayRef<StringRef> wordsOf(std::string TrainingSettings::*field);

/// The value of a field as text that `apply` reads back, with the fewest
/// digits; nothing for what is not set or cannot be told.
std::optional<std::string> toText(const TrainingSettings &settings,
                                  const Setting &setting);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_TRAININGSETTINGS_H
