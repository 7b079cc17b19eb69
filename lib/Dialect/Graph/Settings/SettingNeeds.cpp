#include "mpc/Dialect/Graph/Settings/SettingNeeds.h"

using namespace mpc;
using namespace mpc::graph;

SmallVector<const SettingNeed *> graph::needsOf(const Setting &setting) {
  SmallVector<const SettingNeed *> needs;
  switch (setting.kind) {
  case SettingKind::Precision:
    break;
  case SettingKind::Scale:
  case SettingKind::Accumulate:
  case SettingKind::Reduce:
    needs = {&kStep};
    break;
  case SettingKind::Update:
    needs = {&kStep, &kUpdate};
    break;
  }
  if (setting.ofForward)
    needs.clear();
  for (const SettingNeed *need : setting.needs)
    if (need)
      needs.push_back(need);
  return needs;
}

const SettingNeed *graph::findUnmet(ArrayRef<const SettingNeed *> needs,
                                    const TrainingSettings &settings,
                                    BuiltParts parts) {
  for (const SettingNeed *need : needs)
    if (!need->isMet(settings, parts))
      return need;
  return nullptr;
}

std::string graph::describeUnmet(const SettingNeed &unmet) {
  return ("expected " + unmet.what +
          ", without which this has no effect: choose that, or leave this out")
      .str();
}
