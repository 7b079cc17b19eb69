#include "mpc/Pipelines/Stages.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;

ArrayRef<Stage> mpc::allStages() {
  static constexpr Stage stages[] = {
      Stage::Import,     Stage::Autocast, Stage::Autodiff, Stage::Scale,
      Stage::Accumulate, Stage::Reduce,   Stage::Update,   Stage::Simplify,
      Stage::Group,      Stage::Exec,     Stage::Program};
  return stages;
}

StringRef mpc::getName(Stage stage) {
  switch (stage) {
  case Stage::Import:
    return "import";
  case Stage::Autocast:
    return "autocast";
  case Stage::Autodiff:
    return "autodiff";
  case Stage::Scale:
    return "scale";
  case Stage::Accumulate:
    return "accumulate";
  case Stage::Reduce:
    return "reduce";
  case Stage::Update:
    return "update";
  case Stage::Simplify:
    return "simplify";
  case Stage::Group:
    return "group";
  case Stage::Exec:
    return "exec";
  case Stage::Program:
    return "program";
  }
  llvm_unreachable("all stages are named");
}

std::optional<Stage> mpc::parseStage(StringRef name) {
  for (Stage stage : allStages())
    if (getName(stage) == name)
      return stage;
  return std::nullopt;
}

std::string mpc::stageNames() {
  return llvm::join(llvm::map_range(allStages(), getName), ", ");
}
