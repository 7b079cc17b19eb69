#include "mpc/Dialect/Graph/Analysis/ParameterGroups.h"
#include "mpc/Dialect/Graph/Settings/Patterns.h"
#include "mpc/Support/Assert.h"

using namespace mpc;
using namespace mpc::graph;

ParameterGroups::ParameterGroups(TrainingAttr training,
                                 ArrayRef<StringRef> parameters) {
  SmallVector<llvm::Regex> patterns;
  if (training && training.getGroups())
    for (auto group : training.getGroups().getAsRange<ParameterGroupAttr>()) {
      groups.push_back({group.getName(), group, group.getOptimizer(), {}});
      patterns.push_back(wholeNames(group.getPattern()));
    }
  groups.push_back({kDefaultGroup,
                    nullptr,
                    training ? training.getOptimizer() : OptimizerAttr(),
                    {}});
  for (StringRef parameter : parameters) {
    unsigned index = 0;
    while (index < patterns.size() && !patterns[index].match(parameter))
      ++index;
    groups[index].parameters.push_back(parameter);
    groupOfParameter[parameter] = index;
  }
}

unsigned ParameterGroups::indexOf(StringRef parameter) const {
  auto found = groupOfParameter.find(parameter);
  MPC_ASSERT(found != groupOfParameter.end(), "a parameter of the function");
  return found->second;
}

void ParameterGroups::warnUnmatched(Location location) const {
  for (const Group &group : groups)
    if (group.settings && group.parameters.empty())
      mlir::emitWarning(location)
          << "parameter group '" << group.name << "' takes no parameter: '"
          << group.settings.getPattern()
          << "' matches the whole name of none that an earlier group leaves";
}

void ParameterGroups::warnUntrained(Location location,
                                    ArrayRef<StringRef> trained) const {
  llvm::SmallDenseSet<StringRef> names(llvm::from_range, trained);
  for (const Group &group : groups)
    if (group.settings && !group.parameters.empty() &&
        llvm::none_of(group.parameters, [&](StringRef parameter) {
          return names.contains(parameter);
        }))
      mlir::emitWarning(location)
          << "parameter group '" << group.name << "' trains nothing: "
          << (group.parameters.size() == 1 ? "its one parameter is"
                                           : "all its parameters are")
          << " frozen, or not what the loss depends on; a step has no rate and "
             "no state of it";
}
