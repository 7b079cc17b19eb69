// What autocast is asked to do with one op: the word of its record or its own,
// overridden by rules, in the region that it stands in. Asked by all modes and
// by the gate, so that they agree.
//
// A region that is off, unless a rule names it, says "as written", or in mode
// torch "as the operands come", as torch.autocast(enabled=False) does. A
// region's `lists` give the op the word of those lists. A rule for one operand
// is a rule for the op unless the op takes operands of different types.
#ifndef MPC_DIALECT_GRAPH_PRECISION_OPPOLICY_H
#define MPC_DIALECT_GRAPH_PRECISION_OPPOLICY_H

#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"

namespace mpc::graph {

/// In the path of a region: the implementation of a custom op, "head/@swish".
/// Autocast is off in it, but its operands have the types of the call.
constexpr StringRef kImplementationMark = "@";
/// Whether ops of `region` come from the implementation of a custom op.
bool isImplementation(AutocastRegionAttr region);

struct OpPolicy {
  AutocastRegionAttr region; ///< Null: the outermost.
  bool enabled = true;       ///< Whether autocast is on in the region.
  FloatType lowp;            ///< The 16-bit type of the op or its region.
  TorchLists lists = TorchLists::Cuda;
  AutocastPolicy policy = AutocastPolicy::Clear;
  TorchPolicy torch = TorchPolicy::Fallthrough;
  /// The type that the op itself asks for (cast_inputs), or null.
  FloatType forced;
  const PolicyRule *rule = nullptr; ///< That gave the word, or null.
  /// Rules of single operands, of an op that takes mixed types.
  RuleMatch operandRules;

  /// For an op with AutocastOpInterface.
  static OpPolicy of(Operation *op, const PrecisionOptions &options);

  /// Whether a rule or the region's lists gave the word, not the op.
  bool isGiven() const;
  /// The type that a rule gives operand `index` alone, or null; `narrow` is
  /// the op's 16-bit type.
  FloatType operandType(unsigned index, FloatType narrow) const;
  /// " (rule 'graph.softmax=Deny')", " (region 'tail')", or nothing: after
  /// the reason of a decision.
  std::string origin() const;
};

/// " (region 'encoder/tail')", or nothing for the outermost region.
std::string describe(AutocastRegionAttr region);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_PRECISION_OPPOLICY_H
