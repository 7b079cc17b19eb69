#include "Settings.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Training/ApplySettings.h"
#include "mpc/Program/ParameterGroups.h"

using namespace mpc;
using namespace mpc::target;

/// Whether a part that the settings of `kind` describe is there at all.
static bool isPresent(graph::TrainingAttr training, graph::SettingKind kind) {
  switch (kind) {
  case graph::SettingKind::Scale:
    return !!training.getLossScale();
  case graph::SettingKind::Update:
  case graph::SettingKind::Accumulate:
    return !!training.getOptimizer();
  case graph::SettingKind::Precision:
  case graph::SettingKind::Reduce:
    return true;
  }
  llvm_unreachable("a setting of no kind");
}

static void add(program::ProgramT &program, std::string key,
                std::string value) {
  auto pair = std::make_unique<program::KeyValueT>();
  pair->key = std::move(key);
  pair->value = std::move(value);
  program.settings.push_back(std::move(pair));
}

static graph::TrainingSettings settingsToShow(graph::TrainingAttr training) {
  graph::TrainingSettings settings = graph::readSettings(training);
  graph::setOwnDefaults(settings, training.getContext());
  return settings;
}

/// `training` as it holds for the parameters of `group`.
static graph::TrainingAttr trainingOf(graph::ParameterGroupAttr group,
                                      graph::TrainingAttr training) {
  return graph::TrainingAttr::get(
      training.getContext(), training.getNumerics(), training.getLossScale(),
      group.getOptimizer(), training.getGroups(),
      group.getClip() ? group.getClip() : training.getClip(),
      group.getSchedule() ? group.getSchedule() : training.getSchedule(),
      training.getStep(), training.getOutputGradients(),
      training.getDropOutputs());
}

/// "<group>.pattern", and what is not as for the parameters of no group:
/// "<group>.lr".
static void addGroup(program::ProgramT &program,
                     graph::ParameterGroupAttr group,
                     graph::TrainingAttr training) {
  std::string prefix = group.getName().str() + ".";
  add(program, prefix + std::string(program::kPatternSetting),
      group.getPattern().str());
  graph::TrainingSettings rest = settingsToShow(training);
  graph::TrainingSettings own = settingsToShow(trainingOf(group, training));
  for (const graph::Setting &setting : graph::trainingSettings())
    if (std::optional<std::string> text = graph::toText(own, setting);
        text && text != graph::toText(rest, setting))
      add(program, prefix + setting.name.str(), std::move(*text));
}

void target::addSettings(program::ProgramT &program,
                         graph::TrainingAttr training) {
  graph::TrainingSettings settings = settingsToShow(training);
  for (const graph::Setting &setting : graph::trainingSettings())
    if (std::optional<std::string> text = graph::toText(settings, setting);
        text && isPresent(training, setting.kind))
      add(program, setting.name.str(), std::move(*text));
  if (!training.getGroups())
    return;
  for (auto group :
       training.getGroups().getAsRange<graph::ParameterGroupAttr>())
    addGroup(program, group, training);
}

void target::addMemoryLimit(program::ProgramT &program, ModuleOp module) {
  auto facts =
      module->getAttrOfType<mlir::DictionaryAttr>(graph::kMemoryLimitAttr);
  if (!facts)
    return;
  auto show = [&](StringRef name, StringRef key, int64_t least) {
    auto number = facts.getAs<mlir::IntegerAttr>(name);
    if (number && number.getInt() >= least)
      add(program, key.str(), std::to_string(number.getInt()));
  };
  show("limit", "memory-limit", 1);
  show("chunks", "chunks-of-rows", 2);
  show("recomputed", "recomputed-values", 1);
}
