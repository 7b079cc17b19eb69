// What a column reduction had better compute itself.
//
// The gradient of a normalisation's weight sums dy * (x - mean) * rstd over the
// rows. The product is known to the kernel that has the rows, but a kernel that
// sums columns cannot be that one: it would read the product back, in f32,
// after the first had written it. It is cheaper to read x and dy again, which
// are in memory anyway, and one number per row.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_COLUMNOPERANDS_H
#define MPC_DIALECT_GRAPH_ANALYSIS_COLUMNOPERANDS_H

#include "mpc/Dialect/Graph/Analysis/ComparedValues.h"
#include "mpc/Dialect/Graph/Analysis/LibraryCalls.h"

namespace mpc::graph {

class ColumnOperands {
public:
  /// Of the column reductions of `block`; `calls` are its library calls.
  ColumnOperands(Block &block, const LibraryCalls &calls);

  /// The cheap ops between `reduction` and what is in memory anyway, in program
  /// order, if to read that is less than to write and read what they compute;
  /// else none. None, too, where no rows are folded on the way: then ordinary
  /// fusion does it.
  SmallVector<Operation *> get(Operation *reduction) const;

  /// Whether `value` is in memory when `reader` runs, whoever else reads it.
  bool isStored(Value value, Operation *reader) const;
  /// Library calls and collectives before `op`.
  int getFence(Operation *op) const { return fences.lookup(op); }

private:
  bool isPerRow(Value value, Operation *reader) const;

  /// By op. What was computed before the last one is in memory.
  DenseMap<Operation *, int> fences;
  DenseSet<Operation *> ofCalls; ///< What library calls compute.
  ComparedValues compared;       ///< Some must be read, not computed again.
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_COLUMNOPERANDS_H
