// Overrides of the policy words that op records carry.
//
// A rule names ops by op name, by location, or by both, and gives them a word:
//   graph.softmax=Deny            every graph.softmax
//   loc:.*head.*=Deny             every op whose location matches
//   graph.add@.*head.*=Deny       every graph.add whose location matches
// A location matches when the regular expression matches all of one of its
// names: the name of a NameLoc, or "file:line:column". When several rules match
// an op, the last one wins. A rule that matches no op is worth a warning: ask
// `unmatched` after all ops were looked up.
//
// A policy file is JSON: {"version": 1, "rules": [{"op": "graph.softmax",
// "loc": ".*head.*", "policy": "Deny"}]}. `op` or `loc` may be left out, not
// both; any other key is an error.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_POLICYRULES_H
#define MPC_DIALECT_GRAPH_ANALYSIS_POLICYRULES_H

#include "mpc/Interfaces/AutocastOpInterface.h"
#include "llvm/Support/Regex.h"
#include <deque>

namespace mpc::graph {

/// One override. `text` is its spelling above and parses to the same rule.
struct PolicyRule {
  std::string op;  ///< Op name, or empty for any.
  std::string loc; ///< Regular expression, or empty for any.
  AutocastPolicy policy;
  std::string text;
};

/// The names that `loc` is known by to rules: of its NameLocs, and
/// "file:line:column" of its files, outermost first.
void collectLocationNames(Location loc, SmallVectorImpl<std::string> &names);

class PolicyRules {
public:
  using EmitError = function_ref<InFlightDiagnostic()>;

  /// Adds one rule; fails with an error that quotes the text.
  LogicalResult addRule(StringRef text, EmitError emitError);
  /// Adds rules separated by commas. Patterns that contain a comma need a file.
  LogicalResult addList(StringRef text, EmitError emitError);
  /// Adds the rules of a policy file; errors name the file and the key.
  LogicalResult addFile(StringRef path, EmitError emitError);

  /// The rule for `op`, or null. Remembers that it matched.
  const PolicyRule *find(Operation *op);

  SmallVector<const PolicyRule *> unmatched() const;
  /// Two rules that name the same ops and give them different words: the last
  /// wins, but a mode whose lists must not overlap refuses them.
  std::optional<std::pair<const PolicyRule *, const PolicyRule *>>
  findConflict() const;
  SmallVector<StringRef> texts() const;

private:
  struct Entry {
    PolicyRule rule;
    llvm::Regex pattern;
    bool matched = false;
  };
  LogicalResult add(PolicyRule rule, EmitError emitError);

  std::deque<Entry> entries; ///< A deque: rules keep their addresses.
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_POLICYRULES_H
