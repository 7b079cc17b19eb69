#include "mpc/Pipelines/StageTracker.h"
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Pipelines/Pipelines.h"

using namespace mpc;

StageTracker::StageTracker() {
  for (Stage stage : allStages()) {
    mlir::OpPassManager pm(ModuleOp::getOperationName());
    buildStage(pm, stage, PipelineOptions());
    for (mlir::Pass &pass : pm.getPasses())
      stagesOf[pass.getArgument()].push_back(stage);
  }
}

Stage StageTracker::stageOf(StringRef pass) {
  auto known = stagesOf.find(pass);
  if (known == stagesOf.end())
    return current;
  for (Stage stage : known->second)
    if (stage >= current)
      return current = stage;
  return current;
}
