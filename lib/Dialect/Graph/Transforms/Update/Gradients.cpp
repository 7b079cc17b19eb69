// Gradients as outputs, for those who want to look at them.
//
// They are what torch has in `.grad` after `scaler.unscale_(optimizer)`: summed
// over micro-batches, reduced over ranks, divided by the loss scale, and not
// clipped yet. Where an inf or NaN is found they are still what they are.
#include "UpdateGroup.h"
#include "mpc/Dialect/Graph/Analysis/ParameterGroups.h"
#include "llvm/ADT/StringSet.h"

using namespace mpc;
using namespace mpc::graph;

/// "'w1', 'b1', ... (4 in all)".
static std::string listNames(ArrayRef<Marked> parameters) {
  constexpr size_t kShown = 8;
  std::string text;
  for (const Marked &parameter : parameters.take_front(kShown))
    text += (text.empty() ? "'" : ", '") + parameter.name.str() + "'";
  if (parameters.size() > kShown)
    text += ", ... (" + std::to_string(parameters.size()) + " in all)";
  return text;
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
  SmallVector<Marked> parameters = trainableParameters(b.func);
  bool matchesAny = false;
  for (const Marked &parameter : parameters) {
    if (!names.match(parameter.name))
      continue;
    matchesAny = true;
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
  if (matchesAny)
    return success();
  return b.func.emitError()
         << "expected 'output_gradients' to match the whole name of a "
            "parameter, but '"
         << pattern << "' matches none of " << listNames(parameters)
         << "; '.*' matches all";
}
