#include "UpdateGroup.h"
#include "mpc/Dialect/Graph/Analysis/ParameterGroups.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {
using ValueOfName = llvm::StringMap<Value>;

ValueOfName resultsByName(FuncOp func, StringRef mark) {
  ValueOfName values;
  for (const Marked &result : markedResults(func, mark))
    values[result.name] = result.value;
  return values;
}

/// Settings of its own, or the training's.
UpdateGroup describe(const ParameterGroups::Group &group,
                     TrainingAttr training) {
  UpdateGroup update;
  update.optimizer = training.getOptimizer();
  update.clip = training.getClip();
  update.schedule = training.getSchedule();
  ParameterGroupAttr settings = group.settings;
  if (!settings)
    return update;
  update.name = group.name;
  update.optimizer = settings.getOptimizer();
  if (ClipAttr clip = settings.getClip())
    update.clip = clip;
  if (ScheduleAttr schedule = settings.getSchedule())
    update.schedule = schedule;
  return update;
}

LogicalResult checkGradients(FuncOp func, ArrayRef<Marked> parameters,
                             const ValueOfName &gradients) {
  for (const Marked &parameter : parameters)
    if (!gradients.contains(parameter.name))
      return func.emitError() << "expected a result marked 'graph.gradient' "
                                 "for parameter '"
                              << parameter.name.getValue()
                              << "', but got none; run mpc-differentiate first";
  return success();
}
} // namespace

FailureOr<SmallVector<UpdateGroup>>
graph::collectGroups(FuncOp func, TrainingAttr training) {
  SmallVector<Marked> parameters = trainableParameters(func);
  ValueOfName gradients = resultsByName(func, kGradientAttr);
  if (failed(checkGradients(func, parameters, gradients)))
    return failure();

  ValueOfName foundInfs = resultsByName(func, kFoundInfAttr);
  ParameterGroups groups(
      training, llvm::map_to_vector(parameters, [](const Marked &parameter) {
        return parameter.name.getValue();
      }));
  SmallVector<UpdateGroup> updates;
  for (const ParameterGroups::Group &group : groups.getGroups()) {
    updates.push_back(describe(group, training));
    updates.back().foundInf = foundInfs.lookup(group.name);
  }
  for (const Marked &parameter : parameters) {
    UpdateGroup &update = updates[groups.indexOf(parameter.name)];
    update.parameters.push_back(parameter);
    update.gradients.push_back(gradients.lookup(parameter.name));
  }
  // A group without parameters keeps no state; the default group always does.
  llvm::erase_if(updates, [](const UpdateGroup &update) {
    return update.parameters.empty() && !update.name.empty();
  });
  // In front, as the group whose state has no prefix.
  std::rotate(updates.begin(), updates.end() - 1, updates.end());
  return updates;
}
