#include "mpc/Dialect/Graph/IR/TrainingSettings.h"
#include "SettingChecks.h"
#include "mlir/IR/Diagnostics.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Support/Number.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;
using namespace mpc::graph;

//===-- Reading the attribute --------------------------------------------===//

TrainingSettings::TrainingSettings(TrainingAttr attribute) {
  if (!attribute)
    return;
  precision = attribute.getPrecision().str();
  autocast = attribute.getAutocast().str();
  lists = attribute.getLists().str();
  output = attribute.getOutput().str();
  keepNormalization = attribute.getKeepNormalization();
  rounding = attribute.getRounding().str();
  weightCopies = attribute.getWeightCopies().str();
  accumulate = attribute.getAccumulate();
  bucketBytes = attribute.getBucketBytes();
  outputGradients = attribute.getOutputGradients().str();
  groups = attribute.getGroups();
  if (LossScaleAttr part = attribute.getLossScale())
    read(part);
  if (OptimizerAttr part = attribute.getOptimizer())
    read(part);
  if (ClipAttr part = attribute.getClip())
    read(part);
  if (ScheduleAttr part = attribute.getSchedule())
    read(part);
}

void TrainingSettings::read(LossScaleAttr attribute) {
  scaleMode = attribute.getMode().str();
  scaleInit = attribute.getInit().value;
  scaleGrowth = attribute.getGrowth().value;
  scaleBackoff = attribute.getBackoff().value;
  scaleInterval = attribute.getInterval();
  scaleHysteresis = attribute.getHysteresis();
  scaleRefill = attribute.getRefill().str();
  scaleDelay = attribute.getDelay();
  scaleFloor = attribute.getFloor().value;
  scaleCeiling = attribute.getCeiling().value;
  scaleGrowthGuard = attribute.getGrowthGuard();
  scaleDivideByNext = attribute.getDivideByNext();
  scaleOnFloor = attribute.getOnFloor().str();
  scaleScope = attribute.getScope().str();
}

void TrainingSettings::read(OptimizerAttr attribute) {
  optimizer = attribute.getName().str();
  lr = attribute.getLr().value;
  for (NamedAttribute entry : attribute.getHyperparameters()) {
    auto flag = dyn_cast<mlir::BoolAttr>(entry.getValue());
    std::string name = entry.getName().str();
    if (flag)
      hyperparameters[name] = flag.getValue();
    else
      hyperparameters[name] =
          cast<mlir::FloatAttr>(entry.getValue()).getValueAsDouble();
  }
  master = attribute.getMaster().str();
}

void TrainingSettings::read(ClipAttr attribute) {
  clipNorm = attribute.getNorm().value;
  clipNormType = attribute.getNormType().str();
  clipValue = attribute.getValue().value;
  clipFormula = attribute.getFormula().str();
  clipScope = attribute.getScope().str();
  clipNonfinite = attribute.getNonfinite().str();
}

void TrainingSettings::read(ScheduleAttr attribute) {
  schedule = attribute.getKind().str();
  warmupSteps = attribute.getWarmup();
  totalSteps = attribute.getTotal();
  finalFactor = attribute.getFinal().value;
  decayPeriod = attribute.getPeriod();
  decayGamma = attribute.getGamma().value;
}

//===-- Applying texts ---------------------------------------------------===//

namespace {

/// Reads one text into the field of a setting.
struct TextReader {
  TrainingSettings &settings;
  StringRef text;
  TrainingSettings::EmitError emitError;

  LogicalResult wrong(StringRef expected) const {
    return emitError() << "expected " << expected << ", but got '" << text
                       << "'";
  }
  LogicalResult read(double &number) const {
    auto parsed = parseNumber<double>(text);
    if (!parsed)
      return wrong("a finite number");
    number = *parsed;
    return success();
  }
  LogicalResult read(bool &flag) const {
    flag = text == "true";
    if (!flag && text != "false")
      return wrong("true or false");
    return success();
  }
  template <typename Value> LogicalResult readInto(StringRef key) const {
    Value value{};
    if (failed(read(value)))
      return failure();
    settings.hyperparameters[key.str()] = value;
    return success();
  }

  LogicalResult operator()(std::string TrainingSettings::*word) const {
    settings.*word = text.str();
    return success();
  }
  LogicalResult operator()(double TrainingSettings::*number) const {
    return read(settings.*number);
  }
  LogicalResult
  operator()(std::optional<double> TrainingSettings::*number) const {
    double &value = (settings.*number).emplace(0.0);
    if (failed(read(value)))
      return failure();
    return checkHyperparameter(emitError, "lr", Real(value));
  }
  LogicalResult operator()(int64_t TrainingSettings::*integer) const {
    auto parsed = parseNumber<int64_t>(text);
    if (!parsed)
      return wrong("an integer");
    settings.*integer = *parsed;
    return success();
  }
  LogicalResult operator()(bool TrainingSettings::*flag) const {
    return read(settings.*flag);
  }
  LogicalResult operator()(PatternField pattern) const {
    settings.*pattern.text = text.str();
    return verifyPattern(text, emitError);
  }
  LogicalResult operator()(RealHyperparameter entry) const {
    return readInto<double>(entry.name);
  }
  LogicalResult operator()(FlagHyperparameter entry) const {
    return readInto<bool>(entry.name);
  }
  LogicalResult operator()(const SettingPreset &preset) const {
    return preset.set(settings, text, emitError);
  }
};

} // namespace

LogicalResult TrainingSettings::applyAll(const SettingTexts &texts,
                                         EmitErrorAt emitError) {
  for (const Setting &setting : trainingSettings()) {
    auto text = texts.find(setting.name);
    if (text == texts.end() || text->second.empty())
      continue;
    auto atSetting = [&] { return emitError(setting); };
    TextReader reader{*this, text->second, atSetting};
    if (failed(std::visit(reader, setting.field)))
      return failure();
  }
  setProfileDefaults();
  return success();
}

LogicalResult TrainingSettings::apply(const SettingTexts &texts,
                                      EmitError emitError) {
  return applyAll(texts, [&](const Setting &setting) -> InFlightDiagnostic {
    return std::move(emitError() << "option '" << setting.name << "': ");
  });
}

LogicalResult TrainingSettings::applyUnnamed(const SettingTexts &texts,
                                             EmitError emitError) {
  return applyAll(texts, [&](const Setting &) { return emitError(); });
}

//===-- Defaults ----------------------------------------------------------===//

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

void TrainingSettings::setProfileDefaults() {
  for (const HyperparameterDefault &own : profileDefaults)
    if (own.optimizer == optimizer)
      hyperparameters.try_emplace(own.hyperparameter.str(), own.value);
  if (!groups || profileDefaults.empty())
    return;
  SmallVector<Attribute> filled;
  for (auto group : groups.getAsRange<ParameterGroupAttr>())
    filled.push_back(ParameterGroupAttr::get(
        group.getContext(), group.getName(), group.getPattern(),
        withDefaults(group.getOptimizer(), profileDefaults), group.getClip(),
        group.getSchedule()));
  groups = mlir::ArrayAttr::get(groups.getContext(), filled);
}

void TrainingSettings::setOwnDefaults(MLIRContext *context) {
  const OptimizerRecord *record = findOptimizer(optimizer);
  if (!record)
    return;
  for (const Setting &setting : trainingSettings()) {
    if (auto *entry = std::get_if<RealHyperparameter>(&setting.field);
        entry && record->takes(entry->name))
      hyperparameters.try_emplace(entry->name.str(),
                                  record->getRealDefault(context, entry->name));
    if (auto *entry = std::get_if<FlagHyperparameter>(&setting.field);
        entry && record->takes(entry->name))
      hyperparameters.try_emplace(entry->name.str(), false);
  }
}

//===-- Writing the attribute --------------------------------------------===//

FailureOr<OptimizerAttr>
TrainingSettings::buildOptimizer(MLIRContext *context,
                                 EmitError emitError) const {
  if (optimizer.empty())
    return OptimizerAttr();
  if (!lr)
    return emitError() << "expected a learning rate with optimizer '"
                       << optimizer << "': give option 'lr'";
  Builder builder(context);
  SmallVector<NamedAttribute> given;
  for (const auto &[name, value] : hyperparameters) {
    auto *flag = std::get_if<bool>(&value);
    given.push_back(builder.getNamedAttr(
        name, flag ? Attribute(builder.getBoolAttr(*flag))
                   : builder.getF64FloatAttr(std::get<double>(value))));
  }
  auto attribute = OptimizerAttr::getChecked(
      emitError, context, StringRef(optimizer), Real(*lr),
      builder.getDictionaryAttr(given), builder.getStringAttr(master));
  if (!attribute)
    return failure();
  return attribute;
}

FailureOr<TrainingAttr> TrainingSettings::build(MLIRContext *context,
                                                EmitError emitError) const {
  auto word = [&](StringRef text) { return StringAttr::get(context, text); };
  auto scale = LossScaleAttr::getChecked(
      emitError, context, StringRef(scaleMode), Real(scaleInit),
      Real(scaleGrowth), Real(scaleBackoff), scaleInterval, scaleHysteresis,
      word(scaleRefill), scaleDelay, Real(scaleFloor), Real(scaleCeiling),
      scaleGrowthGuard, scaleDivideByNext, word(scaleOnFloor),
      word(scaleScope));
  auto clip = ClipAttr::getChecked(
      emitError, context, Real(clipNorm), word(clipNormType), Real(clipValue),
      word(clipFormula), word(clipScope), word(clipNonfinite));
  auto rate = ScheduleAttr::getChecked(
      emitError, context, StringRef(schedule), warmupSteps, totalSteps,
      Real(finalFactor), decayPeriod, Real(decayGamma));
  FailureOr<OptimizerAttr> chosen = buildOptimizer(context, emitError);
  if (!scale || !clip || !rate || failed(chosen))
    return failure();
  // What says nothing is not written.
  TrainingSettings defaults{TrainingAttr()};
  bool clips = clipNorm != 0 || clipValue != 0 || clipNonfinite != "propagate";
  bool schedules = schedule != defaults.schedule || warmupSteps != 0;
  auto attribute = TrainingAttr::getChecked(
      emitError, context, word(precision), word(autocast), word(lists),
      word(output), keepNormalization, word(rounding), word(weightCopies),
      scale, *chosen, groups, clips ? clip : ClipAttr(),
      schedules ? rate : ScheduleAttr(), accumulate, bucketBytes,
      word(outputGradients));
  if (!attribute)
    return failure();
  return attribute;
}

//===-- Texts ------------------------------------------------------------===//

/// The shortest of "%g" that reads back as `value`.
static std::string shortest(double value) {
  std::string text;
  for (int digits = 6; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, value);
    double back = 0;
    if (llvm::to_float(text, back) && back == value)
      break;
  }
  return text;
}

namespace {
struct TextWriter {
  const TrainingSettings &settings;
  using Text = std::optional<std::string>;

  Text operator()(std::string TrainingSettings::*word) const {
    return settings.*word;
  }
  Text operator()(double TrainingSettings::*number) const {
    return shortest(settings.*number);
  }
  Text operator()(std::optional<double> TrainingSettings::*number) const {
    return settings.*number ? Text(shortest(*(settings.*number))) : Text();
  }
  Text operator()(int64_t TrainingSettings::*integer) const {
    return std::to_string(settings.*integer);
  }
  Text operator()(bool TrainingSettings::*flag) const {
    return settings.*flag ? "true" : "false";
  }
  Text operator()(PatternField pattern) const {
    const std::string &text = settings.*pattern.text;
    return text.empty() ? Text() : text;
  }
  Text operator()(RealHyperparameter entry) const {
    auto found = settings.hyperparameters.find(entry.name);
    return found == settings.hyperparameters.end()
               ? Text()
               : shortest(std::get<double>(found->second));
  }
  Text operator()(FlagHyperparameter entry) const {
    auto found = settings.hyperparameters.find(entry.name);
    if (found == settings.hyperparameters.end())
      return Text();
    return std::get<bool>(found->second) ? "true" : "false";
  }
  Text operator()(const SettingPreset &preset) const {
    return preset.shown ? Text(settings.*preset.shown) : Text();
  }
};
} // namespace

std::optional<std::string> graph::toText(const TrainingSettings &settings,
                                         const Setting &setting) {
  return std::visit(TextWriter{settings}, setting.field);
}
