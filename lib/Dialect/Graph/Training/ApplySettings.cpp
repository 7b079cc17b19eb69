#include "mpc/Dialect/Graph/Training/ApplySettings.h"
#include "mlir/IR/Diagnostics.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/Training/LossScalePresets.h"
#include "mpc/Dialect/Graph/Training/Profiles.h"

using namespace mpc;
using namespace mpc::graph;

//===-- Presets -----------------------------------------------------------===//

/// Another optimizer keeps the settings that it uses, too; those that it does
/// not use, which a model may have given the former one, are dropped.
static void setOptimizer(TrainingSettings &settings, StringRef text) {
  bool isOther = text != settings.optimizer.name;
  settings.optimizer.name = text.str(); // judged by the attribute
  const OptimizerRecord *record = findOptimizer(text);
  if (!record || !isOther)
    return;
  forEachHyperparameter(settings, [&](StringRef name, auto &value) {
    if (!record->takes(name))
      value.reset();
  });
}

static LogicalResult setPreset(TrainingSettings &settings,
                               const Setting &setting, StringRef text,
                               EmitError emitError) {
  switch (setting.preset) {
  case Preset::None:
    return setText(settings, setting, text, emitError);
  case Preset::Profile:
    return applyProfile(settings, text, emitError);
  case Preset::LossScale:
    return applyLossScale(settings, text, emitError);
  case Preset::Optimizer:
    setOptimizer(settings, text);
    return success();
  }
  llvm_unreachable("every preset is applied");
}

StringRef graph::saidBy(const Setting &preset, StringRef text) {
  return preset.preset == Preset::LossScale ? scaleInitOf(text) : "";
}

//===-- Words and help ----------------------------------------------------===//

/// The names of records that have one.
template <typename Records>
static std::vector<StringRef> namesOf(const Records &records) {
  std::vector<StringRef> names;
  for (const auto &record : records)
    names.push_back(record.name);
  return names;
}

std::vector<StringRef> graph::wordsOf(const Setting &setting) {
  switch (setting.preset) {
  case Preset::None:
    break;
  case Preset::Profile:
    return namesOf(profiles());
  case Preset::LossScale:
    return lossScaleWords();
  case Preset::Optimizer:
    return namesOf(allOptimizers());
  }
  TrainingSettings settings;
  FieldRef field = setting.field.in(settings);
  auto *word = std::get_if<WordRef>(&field);
  return word ? word->all() : std::vector<StringRef>();
}

std::string graph::helpOf(const Setting &setting) {
  if (setting.preset == Preset::Optimizer)
    return optimizerNames();
  if (setting.hasField() && setting.field.part == Part::Hyperparameters)
    return (setting.help + " of " + optimizerNames(setting.field.parameter))
        .str();
  return setting.help.str();
}

//===-- Applying texts ----------------------------------------------------===//

/// `optimizer` with those of `defaults` that are for it and that it lacks.
static OptimizerAttr withDefaults(OptimizerAttr optimizer,
                                  ArrayRef<HyperparameterDefault> defaults) {
  mlir::NamedAttrList given(optimizer.getHyperparameters());
  Builder builder(optimizer.getContext());
  for (const HyperparameterDefault &own : defaults)
    if (own.optimizer == optimizer.getName() && !given.get(own.hyperparameter))
      given.set(own.hyperparameter, builder.getF64FloatAttr(own.value));
  return OptimizerAttr::get(
      optimizer.getContext(), optimizer.getName(), optimizer.getLr(),
      given.getDictionary(optimizer.getContext()), optimizer.getMaster());
}

/// What a profile says about optimizers, which come after it and may be the
/// model's.
static void setProfileDefaults(TrainingSettings &settings,
                               ArrayRef<HyperparameterDefault> defaults) {
  for (const HyperparameterDefault &own : defaults)
    if (own.optimizer == settings.optimizer.name)
      forEachHyperparameter(settings, [&](StringRef name, auto &value) {
        if (name == own.hyperparameter && !value)
          value = own.value;
      });
  if (!settings.groups || defaults.empty())
    return;
  SmallVector<Attribute> filled;
  for (auto group : settings.groups.getAsRange<ParameterGroupAttr>())
    filled.push_back(ParameterGroupAttr::get(
        group.getContext(), group.getName(), group.getPattern(),
        withDefaults(group.getOptimizer(), defaults), group.getClip(),
        group.getSchedule()));
  settings.groups = mlir::ArrayAttr::get(settings.groups.getContext(), filled);
}

/// The scaling of a profile is for the fp16 that it says. Who gives another
/// precision beside it, and no scaling, wants none.
static void dropUselessScale(TrainingSettings &settings,
                             const SettingTexts &texts) {
  if (!findText(texts, "profile") || !findText(texts, "precision") ||
      settings.numerics.precision == Precision::Fp16)
    return;
  for (const Setting &setting : trainingSettings())
    if (setting.kind == SettingKind::Scale && findText(texts, setting.name))
      return;
  settings.lossScale = LossScale();
}

using EmitErrorAt = function_ref<InFlightDiagnostic(const Setting &)>;

static LogicalResult applyAll(TrainingSettings &settings,
                              const SettingTexts &texts,
                              EmitErrorAt emitError) {
  for (const Setting &setting : trainingSettings()) {
    auto atSetting = [&] { return emitError(setting); };
    if (std::optional<StringRef> text = findText(texts, setting.name))
      if (failed(setPreset(settings, setting, *text, atSetting)))
        return failure();
  }
  for (const Setting &setting : trainingSettings())
    if (setting.preset == Preset::Profile)
      if (std::optional<StringRef> text = findText(texts, setting.name))
        setProfileDefaults(settings, hyperparameterDefaultsOf(*text));
  dropUselessScale(settings, texts);
  return success();
}

LogicalResult graph::applyTexts(TrainingSettings &settings,
                                const SettingTexts &texts,
                                EmitError emitError) {
  return applyAll(
      settings, texts, [&](const Setting &setting) -> InFlightDiagnostic {
        return std::move(emitError() << "option '" << setting.name << "': ");
      });
}

LogicalResult graph::applyTextsUnnamed(TrainingSettings &settings,
                                       const SettingTexts &texts,
                                       EmitError emitError) {
  return applyAll(settings, texts,
                  [&](const Setting &) { return emitError(); });
}
