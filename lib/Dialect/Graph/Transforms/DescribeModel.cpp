#include "mpc/Dialect/Graph/Transforms/DescribeModel.h"
#include "mpc/Dialect/Graph/Analysis/ParameterGroups.h"
#include "mpc/Dialect/Graph/Training/LossReach.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

static SmallVector<Value> lossesOf(FuncOp func) {
  SmallVector<Value> losses;
  Operation *terminator = func.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
    if (func.getResultAttr(index, kLossAttr))
      losses.push_back(value);
  return losses;
}

/// Those that a step will change: mpc-differentiate freezes what no loss
/// depends on, and reports a model of which that is all.
static SmallVector<StringRef> trainedParameters(FuncOp func,
                                                ArrayRef<Value> losses) {
  DenseSet<Value> reach = findLossReach(losses);
  SmallVector<StringRef> names, reached;
  for (const Marked &parameter : trainableParameters(func)) {
    names.push_back(parameter.name);
    if (reach.contains(parameter.value))
      reached.push_back(parameter.name);
  }
  return reached.empty() ? names : reached;
}

/// The default group is what no parameter group takes.
static void describeGroups(OverriddenModel &model) {
  BuiltParts &parts = model.parts;
  parts.ungrouped = parts.wideGroups = false;
  unsigned trained = 0;
  ParameterGroups groups(model.training, model.parameters);
  for (const ParameterGroups::Group &group : groups.getGroups()) {
    bool trains = !group.parameters.empty();
    trained += trains;
    if (group.settings)
      parts.wideGroups |= group.optimizer.getMaster() == MasterType::F32;
    else
      parts.ungrouped = trains;
  }
  parts.manyGroups = trained > 1;
}

OverriddenModel graph::describeModel(FuncOp func, BuiltParts parts) {
  OverriddenModel model;
  model.training = func->getAttrOfType<TrainingAttr>(kTrainingAttr);
  model.parts = parts;
  // An entry is what was built of a model: its marks are other ones.
  bool isEntry = func->hasAttr(kEntryAttr);
  SmallVector<Value> losses = isEntry ? SmallVector<Value>() : lossesOf(func);
  model.parameters = trainedParameters(func, losses);
  for (const Marked &output : markedResults(func, kOutputAttr))
    model.outputs.push_back(output.name);
  if (isEntry)
    return model;
  model.parts.step &= !losses.empty() && !model.parameters.empty();
  model.parts.update &= model.parts.step;
  model.parts.manyLosses = losses.size() > 1;
  model.parts.statistics = !markedArguments(func, kStateAttr).empty();
  model.parts.noOptimizer = !model.training || !model.training.getOptimizer();
  describeGroups(model);
  return model;
}
