// What a step returns of the model: its outputs, but for those that nobody
// wants, and gradients, for those who want to look at them.
//
// Gradients are what torch has in `.grad` after `scaler.unscale_(optimizer)`:
// summed over micro-batches, reduced over ranks, divided by the loss scale, and
// not clipped yet. Where an inf or NaN is found they are still what they are.
#include "UpdateGroup.h"
#include "mpc/Dialect/Graph/Analysis/ParameterGroups.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Settings/Patterns.h"
#include "mpc/Program/Names.h"
#include "llvm/ADT/StringSet.h"

using namespace mpc;
using namespace mpc::graph;

/// The outputs of `entry` that are the model's, and no loss or number of the
/// step.
static SmallVector<StringRef> modelOutputs(mlir::func::FuncOp entry) {
  llvm::StringSet<> ofModel;
  for (mlir::func::FuncOp forward : entryFunctions(
           entry->getParentOfType<ModuleOp>(), program::kForwardEntry))
    for (const Marked &output : markedResults(forward, kOutputAttr))
      ofModel.insert(output.name);
  SmallVector<StringRef> names;
  for (const Marked &output : markedResults(entry, kOutputAttr))
    if (ofModel.contains(output.name) &&
        !entry.getResultAttr(output.index, kLossTermAttr))
      names.push_back(output.name);
  return names;
}

LogicalResult graph::dropOutputs(mlir::func::FuncOp entry,
                                 SignatureEditor &signature,
                                 TrainingAttr training) {
  StringRef pattern = training.getDropOutputs();
  if (pattern.empty())
    return success();
  SmallVector<StringRef> outputs = modelOutputs(entry);
  llvm::Regex names = wholeNames(pattern);
  signature.dropResults([&](DictionaryAttr marks) {
    auto name = marks.getAs<StringAttr>(kOutputAttr);
    return name && llvm::is_contained(outputs, name.getValue()) &&
           names.match(name);
  });
  return verifyMatch(pattern, Named::Outputs, outputs, [&] {
    return entry.emitError() << "drop_outputs '" << pattern << "': ";
  });
}

LogicalResult graph::outputGradients(StepBuilder &b, TrainingAttr training,
                                     ArrayRef<UpdateGroup> groups) {
  StringRef pattern = training.getOutputGradients();
  if (pattern.empty())
    return success();
  llvm::StringMap<Value> gradients;
  for (const UpdateGroup &group : groups)
    for (auto [parameter, gradient] :
         llvm::zip_equal(group.parameters, group.gradients))
      gradients[parameter.name] = gradient;
  llvm::StringSet<> taken;
  for (const Marked &output : markedResults(b.func, kOutputAttr))
    taken.insert(output.name);

  llvm::Regex names = wholeNames(pattern);
  SmallVector<StringRef> parameters;
  for (const Marked &parameter : trainableParameters(b.func)) {
    parameters.push_back(parameter.name);
    if (!names.match(parameter.name))
      continue;
    std::string output = "gradient." + parameter.name.str();
    if (taken.contains(output))
      return b.func.emitError()
             << "expected the name '" << output
             << "' to be free for the gradient of '"
             << parameter.name.getValue()
             << "', but the model has an output of that name";
    b.signature.addResult(gradients.lookup(parameter.name), kOutputAttr,
                          output);
  }
  return verifyMatch(pattern, Named::TrainedParameters, parameters, [&] {
    return b.func.emitError() << "output_gradients '" << pattern << "': ";
  });
}
