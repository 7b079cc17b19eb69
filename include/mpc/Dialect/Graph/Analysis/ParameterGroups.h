// Which group of `graph.training` each parameter is in.
//
// As with the parameter groups of an optimizer of torch, every group has
// settings, and a step of its own to skip. Here a group takes its parameters by
// a regular expression on their whole names; the first group that matches takes
// a parameter, and what no group takes is in the default group, which has the
// settings of `graph.training` itself.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_PARAMETERGROUPS_H
#define MPC_DIALECT_GRAPH_ANALYSIS_PARAMETERGROUPS_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "llvm/ADT/StringMap.h"

namespace mpc::graph {

/// The name of the group of the parameters that no pattern takes.
constexpr StringRef kDefaultGroup = "default";

class ParameterGroups {
public:
  struct Group {
    StringRef name;
    /// Null for the default group.
    ParameterGroupAttr settings;
    /// Null where the training has none.
    OptimizerAttr optimizer;
    /// In the order in which they were given.
    SmallVector<StringRef> parameters;
  };

  /// The groups of `training` (null: none) over the parameters of a function.
  /// Strings are borrowed from attributes.
  ParameterGroups(TrainingAttr training, ArrayRef<StringRef> parameters);

  /// All groups in the order of `graph.training`, then the default group. Some
  /// may have no parameter.
  ArrayRef<Group> getGroups() const { return groups; }
  /// Index in `getGroups` of the group of a parameter of the function.
  unsigned indexOf(StringRef parameter) const;

  const Group &groupOf(StringRef parameter) const {
    return groups[indexOf(parameter)];
  }

  /// One warning at `location` per pattern that takes no parameter.
  void warnUnmatched(Location location) const;
  /// One per pattern that takes some, but none of `trained`: a step has no
  /// state and no rate of such a group.
  void warnUntrained(Location location, ArrayRef<StringRef> trained) const;

private:
  SmallVector<Group> groups;
  llvm::StringMap<unsigned> groupOfParameter;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_PARAMETERGROUPS_H
