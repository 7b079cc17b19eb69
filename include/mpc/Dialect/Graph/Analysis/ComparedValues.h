// Which values must be the same numbers for all that see them.
//
// Inside a kernel nothing is rounded to 16 bits with rounding = fused, but what
// has several readers: h + f16(-h) is 0, which it would not be if one reader
// saw h rounded and the other as it was before. Where each of them is given a
// copy of the op, in whichever kernel, the copy rounds.
//
// Still an op that two kernels compute can have two results: one of an operand
// that it loads, rounded, the other of the operand, of which it is the only
// reader, as it was before. That is close, and arithmetic needs no more. A
// comparison does: the gradient of max goes to the elements that equal the
// maximum, and to none if those were computed anew and differ in the last bit.
//
// So a compared value has one value. Kernels round it where they compare it
// (PointEvaluator), and no pass has it computed twice unless that yields the
// same bits. The maximum of rounded numbers is the rounded maximum, so it
// equals one of them whichever kernel took it.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_COMPAREDVALUES_H
#define MPC_DIALECT_GRAPH_ANALYSIS_COMPAREDVALUES_H

#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"

namespace mpc::graph {

/// Whether `op` compares floats that are computed, with one another. Where a
/// number is compared with a constant, on either side of it the answer is that
/// of a number as close as rounding is: the slope of relu beside its kink.
bool comparesComputedFloats(Operation *op);

/// Whether several ops read `value`. What is widened for them is read as it is:
/// whoever reads a widened value widens it himself.
bool hasSeveralReaders(Value value);

/// Whether a kernel computes `op` in a wider type than that of its operands and
/// results, and does not round by itself.
bool isComputedWider(Operation *op);

class ComparedValues {
public:
  explicit ComparedValues(Block &block);

  /// Whether the result of `op` is compared, and a second kernel that computed
  /// it might compute another one.
  bool isComputedOnce(Operation *op) const;

private:
  void findFixed(Block &block);
  void findCompared(Block &block);

  DenseSet<Value> fixed;    ///< All kernels see the same bits.
  DenseSet<Value> compared; ///< Themselves, or with their elements moved.
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_COMPAREDVALUES_H
