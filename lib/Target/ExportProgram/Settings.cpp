#include "Settings.h"
#include "mpc/Dialect/Graph/IR/TrainingSettings.h"

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

void target::addSettings(program::ProgramT &program,
                         graph::TrainingAttr training) {
  graph::TrainingSettings settings(training);
  settings.setOwnDefaults(training.getContext());
  for (const graph::Setting &setting : graph::trainingSettings()) {
    std::optional<std::string> text = graph::toText(settings, setting);
    if (!text || !isPresent(training, setting.kind))
      continue;
    auto pair = std::make_unique<program::KeyValueT>();
    pair->key = setting.name.str();
    pair->value = std::move(*text);
    program.settings.push_back(std::move(pair));
  }
}
