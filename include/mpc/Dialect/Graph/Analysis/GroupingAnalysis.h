// Decides which ops of a function one kernel or one library call executes.
// Reads only; mpc-group rewrites by what it says.
//
// Ops are merged along the straight line, consumers into producers, then
// neighbours that read the same tensor, while
//   - together they have an iteration space (IterationSpace.h), the one
//     that the shape of the kernel is read from: equal dims, and all reductions
//     fold the same of them; no value of the group is needed at two indices at
//     once; what others read has all item dims,
//   - both run over the whole of it, or over its item dims, before or after
//     the reductions; what is cheap and read by the other alone may run over a
//     part, and is computed again,
//   - the graph of groups stays acyclic,
//   - none of them is needed much later than the other and would store
//     something large until then (values of the backward pass are computed
//     there, not in the forward pass),
//   - a group has at most `kMaxOps` ops.
// A library call takes along what the target's library can do (LibraryCalls.h).
// With rounding = strict, sums and library calls are executed alone.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_GROUPINGANALYSIS_H
#define MPC_DIALECT_GRAPH_ANALYSIS_GROUPINGANALYSIS_H

#include "mpc/Dialect/Graph/Analysis/LibraryCalls.h"

namespace mpc::graph {

/// Ops that are executed together, in program order.
struct OpSet {
  /// Nothing for what stays outside: collectives, views of other shape.
  std::optional<GroupKind> kind;
  SmallVector<Operation *> ops;
  /// Of a kernel, per operand from outside: the dims of its iteration space
  /// that the operand runs along, -1 where along none. Operands of equal
  /// contents and dims may be one.
  DenseMap<Value, SmallVector<int>> operandDims;
};

/// Why a consumer was not merged with the producer of an operand, or a library
/// call with what it could take along.
struct FusionRefusal {
  Operation *producer;
  Operation *consumer;
  std::string reason;
};

struct GroupingOptions {
  explicit GroupingOptions(const TargetDescription &target) : target(target) {}

  /// Values inside a group are not rounded to 16 bits, so a library may apply
  /// an epilogue before it rounds, and sums are fused though that changes their
  /// order. If not, whatever sums floats is executed alone: the same op gives
  /// the same bits in every entry.
  bool fusedRounding = true;
  /// Whose libraries execute library groups.
  const TargetDescription &target;
};

class GroupingAnalysis {
public:
  static constexpr unsigned kMaxOps = 256;

  GroupingAnalysis(Block &block, GroupingOptions options);

  /// All ops of the block but its terminator and constants, each in one set;
  /// the sets in an order in which they can be executed.
  ArrayRef<OpSet> getSets() const { return sets; }
  ArrayRef<FusionRefusal> getRefusals() const { return refusals; }
  /// Ops in whose place a call adds a tensor to its product.
  ArrayRef<LibraryCalls::Addend> getAddends() const { return addends; }

private:
  SmallVector<OpSet> sets;
  SmallVector<FusionRefusal> refusals;
  SmallVector<LibraryCalls::Addend> addends;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_GROUPINGANALYSIS_H
