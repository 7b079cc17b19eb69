// The one table of the settings of training (its rows: SettingRows.h). A row is
// an option of every tool, of mpc-apply-options and of the passes that may
// override it; a parameter of an attribute; a line of docs/Settings.md, and of
// what `mpc-run info` lists.
//
// The fields, their types and their defaults are the structs of
// TrainingSettings.h; a row names its field by a pointer to the member. The
// compiler refuses a field that has no row, or two (SettingsTable.cpp).
#ifndef MPC_DIALECT_GRAPH_SETTINGS_SETTINGSTABLE_H
#define MPC_DIALECT_GRAPH_SETTINGS_SETTINGSTABLE_H

#include "mlir/IR/Diagnostics.h"
#include "mpc/Dialect/Graph/Settings/TrainingSettings.h"
#include <array>
#include <limits>
#include <variant>

namespace mpc::graph {

using EmitError = function_ref<InFlightDiagnostic()>;

//===-- Fields ------------------------------------------------------------===//

/// The structs of TrainingSettings, in its order.
enum class Part {
  Numerics,
  LossScale,
  OptimizerChoice,
  Hyperparameters,
  Clip,
  Schedule,
  StepParts,
  StepOutputs
};

/// The place of a value, by its kind. Optional ones are nothing until somebody
/// gives them; a text is the name of an optimizer.
using FieldRef =
    std::variant<WordRef, Real *, std::optional<Real> *, int64_t *, bool *,
                 std::optional<bool> *, PNorm *, Pattern *, std::string *>;

/// Which field a row is of.
struct Field {
  Part part = {};
  /// Its name as a parameter of the part's attribute, or as a hyperparameter.
  StringRef parameter = {};
  FieldRef (*in)(TrainingSettings &settings) = nullptr;
  /// What messages call it.
  StringRef label = parameter;
  /// Whether the attribute says it in any case, also if it is the default.
  bool isAlwaysWritten = false;

  constexpr Field called(StringRef name) const {
    Field field = *this;
    field.label = name;
    return field;
  }
  constexpr Field alwaysWritten() const {
    Field field = *this;
    field.isAlwaysWritten = true;
    return field;
  }
};

/// What `field` of `settings` is. Nobody writes to it.
FieldRef read(const Field &field, const TrainingSettings &settings);

//===-- Rows --------------------------------------------------------------===//

/// Which stage a setting belongs to: whose pass may override it.
enum class SettingKind { Precision, Scale, Accumulate, Reduce, Update };

/// The integers that a setting may be.
struct IntegerRange {
  int64_t lowest = std::numeric_limits<int64_t>::min();
  int64_t highest = std::numeric_limits<int64_t>::max();

  bool contains(int64_t value) const {
    return lowest <= value && value <= highest;
  }
};

/// The numbers that a setting may be.
struct RealRange {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool withLowest = true, withHighest = true;

  bool contains(Real value) const;
  /// "0 <= beta1 < 1".
  std::string describe(StringRef name) const;
};

/// Words that stand for several fields, or whose meaning depends on other
/// settings (Training/ApplySettings.cpp).
enum class Preset { None, Profile, LossScale, Optimizer };

/// Whose whole names a pattern matches.
enum class Named { TrainedParameters, Outputs };

struct SettingNeed;

struct Setting {
  SettingKind kind;
  /// Its option: `--<name>`.
  StringRef name;
  /// What it sets; of a preset the field that tells best which one it was.
  Field field = {};
  Preset preset = Preset::None;
  /// What it means. Help adds to a hyperparameter who takes it.
  StringRef help;
  IntegerRange integers = {};
  RealRange reals = {};
  Named named = Named::TrainedParameters; ///< Of a pattern.
  /// Whether a program without a step has a use for it.
  bool ofForward = false;
  /// What it is without effect without (SettingNeeds.h), besides what all of
  /// its kind need.
  std::array<const SettingNeed *, 3> needs = {};

  constexpr bool hasField() const { return field.in; }
};

/// All settings; presets stand in front of what they set.
ArrayRef<Setting> trainingSettings();

/// The row of a parameter of an attribute, or null.
const Setting *findSetting(Part part, StringRef parameter);

/// Calls `visit` with the name of each hyperparameter, as Optimizer.td has it,
/// and its place: an optional number or an optional flag.
template <typename Visit>
void forEachHyperparameter(TrainingSettings &settings, Visit visit) {
  for (const Setting &setting : trainingSettings()) {
    if (!setting.hasField() || setting.field.part != Part::Hyperparameters)
      continue;
    FieldRef field = setting.field.in(settings);
    if (auto **number = std::get_if<std::optional<Real> *>(&field))
      visit(setting.field.parameter, **number);
    else
      visit(setting.field.parameter, *std::get<std::optional<bool> *>(field));
  }
}

//===-- Values ------------------------------------------------------------===//

/// Reads `text` into the field of `setting`. Fails with an error if it is no
/// value of its kind.
LogicalResult setText(TrainingSettings &settings, const Setting &setting,
                      StringRef text, EmitError emitError);

/// The value of a field as text that `setText` reads back, with the fewest
/// digits; nothing for what is not set or cannot be told.
std::optional<std::string> toText(const TrainingSettings &settings,
                                  const Setting &setting);

/// The field of `setting` in `settings` is what it is by default.
bool isDefault(const TrainingSettings &settings, const Setting &setting);

/// Whether the field of `setting` is of a kind of FieldRef.
template <typename Kind> bool holds(const Setting &setting) {
  TrainingSettings settings;
  return setting.hasField() &&
         std::holds_alternative<Kind>(setting.field.in(settings));
}
/// Whether it is true or false.
bool isFlag(const Setting &setting);

/// Fails with an error unless `value` is in the range of `setting`, a number.
LogicalResult verifyReal(const Setting &setting, Real value,
                         EmitError emitError);

/// Fails with an error unless the value of `setting` is in its range.
LogicalResult verifyRange(const TrainingSettings &settings,
                          const Setting &setting, EmitError emitError);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_SETTINGS_SETTINGSTABLE_H
