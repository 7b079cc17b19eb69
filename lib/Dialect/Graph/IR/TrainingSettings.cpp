#include "mpc/Dialect/Graph/IR/TrainingSettings.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

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
  weightDecay = attribute.getWeightDecay().value;
  momentum = attribute.getMomentum().value;
  dampening = attribute.getDampening().value;
  nesterov = attribute.getNesterov();
  beta1 = attribute.getBeta1().value;
  beta2 = attribute.getBeta2().value;
  epsilon = attribute.getEpsilon().value;
  alpha = attribute.getAlpha().value;
  centered = attribute.getCentered();
  lrDecay = attribute.getLrDecay().value;
  initialAccumulator = attribute.getInitialAccumulator().value;
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
  StringRef name, text;
  TrainingSettings::EmitError emitError;

  LogicalResult wrong(StringRef expected) const {
    return emitError() << "expected " << expected << " for option '" << name
                       << "', but got '" << text << "'";
  }
  LogicalResult read(double &number) const {
    if (text.getAsDouble(number) || !std::isfinite(number))
      return wrong("a finite number");
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
    return read((settings.*number).emplace(0.0));
  }
  LogicalResult operator()(int64_t TrainingSettings::*integer) const {
    if (text.getAsInteger(10, settings.*integer))
      return wrong("an integer");
    return success();
  }
  LogicalResult operator()(bool TrainingSettings::*flag) const {
    settings.*flag = text == "true";
    if (!(settings.*flag) && text != "false")
      return wrong("true or false");
    return success();
  }
  LogicalResult operator()(const SettingPreset &preset) const {
    return preset.set(settings, text, emitError);
  }
};

} // namespace

LogicalResult TrainingSettings::apply(const SettingTexts &texts,
                                      EmitError emitError) {
  for (const Setting &setting : trainingSettings()) {
    auto text = texts.find(setting.name);
    if (text == texts.end() || text->second.empty())
      continue;
    TextReader reader{*this, setting.name, text->second, emitError};
    if (failed(std::visit(reader, setting.field)))
      return failure();
  }
  return success();
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
  auto attribute = OptimizerAttr::getChecked(
      emitError, context, StringRef(optimizer), Real(*lr), Real(weightDecay),
      Real(momentum), Real(dampening), nesterov, Real(beta1), Real(beta2),
      Real(epsilon), Real(alpha), centered, Real(lrDecay),
      Real(initialAccumulator), StringAttr::get(context, master));
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
      schedules ? rate : ScheduleAttr(), accumulate, bucketBytes);
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
  Text operator()(const SettingPreset &preset) const {
    return preset.shown ? Text(settings.*preset.shown) : Text();
  }
};
} // namespace

std::optional<std::string> graph::toText(const TrainingSettings &settings,
                                         const Setting &setting) {
  return std::visit(TextWriter{settings}, setting.field);
}
