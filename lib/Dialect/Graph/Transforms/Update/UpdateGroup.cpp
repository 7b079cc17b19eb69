#include "UpdateGroup.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

FailureOr<SmallVector<UpdateGroup>>
graph::collectGroups(FuncOp func, TrainingAttr training) {
  llvm::StringMap<Value> gradientOf;
  for (const Marked &gradient : markedResults(func, kGradientAttr))
    gradientOf[gradient.name] = gradient.value;
  UpdateGroup group;
  group.optimizer = training.getOptimizer();
  group.clip = training.getClip();
  group.schedule = training.getSchedule();
  group.parameters = markedArguments(func, kParameterAttr);
  for (const Marked &parameter : group.parameters) {
    Value gradient = gradientOf.lookup(parameter.name);
    if (!gradient)
      return func.emitError() << "expected a result marked 'graph.gradient' "
                                 "for parameter '"
                              << parameter.name.getValue()
                              << "', but got none; run mpc-differentiate first";
    group.gradients.push_back(gradient);
  }
  for (const Marked &result : markedResults(func, kFoundInfAttr))
    group.foundInf = result.value;
  return SmallVector<UpdateGroup>{group};
}
