// Settings from `graph.training`, and back.
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/Training/ApplySettings.h"

using namespace mpc;
using namespace mpc::graph;

//===-- From the attribute ------------------------------------------------===//

static void readOptimizer(TrainingSettings &settings, OptimizerAttr attribute) {
  settings.optimizer = {attribute.getName().str(), attribute.getLr(),
                        attribute.getMaster()};
  DictionaryAttr given = attribute.getHyperparameters();
  auto readNumber = [&](StringRef name, std::optional<Real> &value) {
    if (auto number = given.getAs<mlir::FloatAttr>(name))
      value = number.getValueAsDouble();
  };
  auto readFlag = [&](StringRef name, std::optional<bool> &value) {
    if (auto flag = given.getAs<mlir::BoolAttr>(name))
      value = flag.getValue();
  };
  forEachHyperparameter(settings, llvm::makeVisitor(readNumber, readFlag));
}

TrainingSettings graph::readSettings(TrainingAttr training) {
  TrainingSettings settings;
  if (!training)
    return settings;
  settings.numerics = training.getNumerics();
  settings.step = training.getStep();
  settings.outputs.gradients.text = training.getOutputGradients().str();
  settings.outputs.dropped.text = training.getDropOutputs().str();
  settings.groups = training.getGroups();
  if (LossScaleAttr part = training.getLossScale())
    settings.lossScale = part.getValues();
  if (OptimizerAttr part = training.getOptimizer())
    readOptimizer(settings, part);
  if (ClipAttr part = training.getClip())
    settings.clip = part.getValues();
  if (ScheduleAttr part = training.getSchedule())
    settings.schedule = part.getValues();
  return settings;
}

void graph::setOwnDefaults(TrainingSettings &settings, MLIRContext *context) {
  const OptimizerRecord *record = findOptimizer(settings.optimizer.name);
  if (!record)
    return;
  auto setNumber = [&](StringRef name, std::optional<Real> &value) {
    if (!value && record->takes(name))
      value = record->getRealDefault(context, name);
  };
  auto setFlag = [&](StringRef name, std::optional<bool> &value) {
    if (!value && record->takes(name))
      value = false;
  };
  forEachHyperparameter(settings, llvm::makeVisitor(setNumber, setFlag));
}

//===-- To the attribute --------------------------------------------------===//

static FailureOr<OptimizerAttr> buildOptimizer(TrainingSettings settings,
                                               MLIRContext *context,
                                               EmitError emitError) {
  const OptimizerChoice &optimizer = settings.optimizer;
  if (optimizer.name.empty())
    return OptimizerAttr();
  if (!optimizer.lr)
    return emitError() << "expected a learning rate with optimizer '"
                       << optimizer.name << "': give option 'lr'";
  Builder builder(context);
  mlir::NamedAttrList given;
  auto addNumber = [&](StringRef name, std::optional<Real> &value) {
    if (value)
      given.set(name, builder.getF64FloatAttr(value->value));
  };
  auto addFlag = [&](StringRef name, std::optional<bool> &value) {
    if (value)
      given.set(name, builder.getBoolAttr(*value));
  };
  forEachHyperparameter(settings, llvm::makeVisitor(addNumber, addFlag));
  auto attribute = OptimizerAttr::getChecked(
      emitError, context, StringRef(optimizer.name), *optimizer.lr,
      given.getDictionary(context), optimizer.master);
  if (!attribute)
    return failure();
  return attribute;
}

/// What says nothing is not written.
static bool saysSomething(const Clip &clip) {
  return clip.norm.value != 0 || clip.value.value != 0 ||
         clip.nonfinite != NonfiniteNorm::Propagate;
}
static bool saysSomething(const Schedule &schedule) {
  return schedule.kind != ScheduleKind::Constant || schedule.warmup != 0;
}

FailureOr<TrainingAttr> graph::buildTraining(const TrainingSettings &settings,
                                             MLIRContext *context,
                                             EmitError emitError) {
  auto scale =
      LossScaleAttr::getChecked(emitError, context, settings.lossScale);
  auto clip = ClipAttr::getChecked(emitError, context, settings.clip);
  auto schedule =
      ScheduleAttr::getChecked(emitError, context, settings.schedule);
  FailureOr<OptimizerAttr> chosen =
      buildOptimizer(settings, context, emitError);
  if (!scale || !clip || !schedule || failed(chosen))
    return failure();
  auto attribute = TrainingAttr::getChecked(
      emitError, context, settings.numerics, scale, *chosen, settings.groups,
      saysSomething(settings.clip) ? clip : ClipAttr(),
      saysSomething(settings.schedule) ? schedule : ScheduleAttr(),
      settings.step, StringRef(settings.outputs.gradients.text),
      StringRef(settings.outputs.dropped.text));
  if (!attribute)
    return failure();
  return attribute;
}
