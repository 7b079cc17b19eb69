// Overrides of the policy words that op records carry.
//
// A rule names ops by op name, location, region, or several of these, and gives
// them a word; with an operand index it gives it to that operand alone:
//   graph.softmax=Deny                  every graph.softmax
//   loc:.*head.*=Deny                   every op whose location matches
//   graph.add@.*head.*=Deny             every graph.add whose location matches
//   region:encoder.*=Deny               every op of the regions that match
//   graph.matmul;operand:1=Deny         operand #1 of every graph.matmul
//   graph.add@.*head.*;region:tail=Deny all of it must match
// A location matches when the regular expression matches all of one of its
// names: the name of a NameLoc, or "file:line:column". A region matches when
// it matches the region's path ("outer/inner") or one name in it. When several
// rules match an op or an operand, the last one wins. In a region where
// autocast is off only rules that name a region apply. A rule that matches
// nothing is worth a warning: ask `unmatched` after all ops were looked up.
//
// A policy file is JSON: {"version": 1, "rules": [{"op": "graph.softmax",
// "loc": ".*head.*", "region": "tail", "operand": 0, "policy": "Deny"}]}; its
// schema is docs/policy.schema.json. One of op, loc and region is needed; any
// other key is an error.
#ifndef MPC_DIALECT_GRAPH_PRECISION_POLICYRULES_H
#define MPC_DIALECT_GRAPH_PRECISION_POLICYRULES_H

#include "mpc/Interfaces/AutocastOpInterface.h"
#include "llvm/Support/Regex.h"
#include <deque>

namespace mpc::graph {

/// One override. `text` is its spelling above and parses to the same rule.
struct PolicyRule {
  std::string op;                  ///< Op name, or empty for any.
  std::string loc;                 ///< Regular expression, or empty for any.
  std::string region;              ///< Regular expression, or empty for any.
  std::optional<unsigned> operand; ///< None: the whole op.
  AutocastPolicy policy = AutocastPolicy::Deny;
  std::string text;
};

/// The names that `loc` is known by to rules: of its NameLocs, and
/// "file:line:column" of its files, outermost first.
void collectLocationNames(Location loc, SmallVectorImpl<std::string> &names);

/// The rules that hold for one op.
struct RuleMatch {
  const PolicyRule *rule = nullptr; ///< For the whole op, or null.
  /// For single operands: Allow or Deny.
  SmallVector<std::pair<unsigned, const PolicyRule *>> operands;

  /// The rule for operand `index` alone, or null.
  const PolicyRule *findOperand(unsigned index) const;
};

class PolicyRules {
public:
  using EmitError = function_ref<InFlightDiagnostic()>;

  /// Adds one rule; fails with an error that quotes the text.
  LogicalResult addRule(StringRef text, EmitError emitError);
  /// Adds rules separated by commas. Patterns that contain a comma need a file.
  LogicalResult addList(StringRef text, EmitError emitError);
  /// Adds the rules of a policy file; errors name the file and the key.
  LogicalResult addFile(StringRef path, EmitError emitError);

  /// The rules for `op`. Remembers that they matched.
  RuleMatch match(Operation *op);
  /// The rule for the whole op, or null.
  const PolicyRule *find(Operation *op) { return match(op).rule; }

  /// The rules that gave no op or operand a word.
  SmallVector<const PolicyRule *> unmatched() const;
  /// Two rules that name the same ops and give them different words: the last
  /// wins, but a mode whose lists must not overlap refuses them.
  std::optional<std::pair<const PolicyRule *, const PolicyRule *>>
  findConflict() const;
  SmallVector<StringRef> texts() const;

private:
  struct Entry {
    PolicyRule rule;
    llvm::Regex loc, region;
    bool matched = false;
  };
  /// What rules ask of an op, asked once.
  struct Subject;

  LogicalResult add(PolicyRule rule, EmitError emitError);
  static bool matches(const Entry &entry, Subject &subject);

  std::deque<Entry> entries; ///< A deque: rules keep their addresses.
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_PRECISION_POLICYRULES_H
