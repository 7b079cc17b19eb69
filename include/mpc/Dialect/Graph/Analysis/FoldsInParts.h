// Which column folds the kernel that has the rows computes beside them.
//
// The gradients of a normalisation are a fold along rows, for the operand, and
// folds along columns, for weight and bias, of the same two tensors. A kernel
// that has the rows cannot finish the latter: no work item sees a whole column.
// But it can fold the rows of its item, and a small kernel folds what all items
// have come to. Each tensor is then read once.
//
// How many rows a part has depends on their number and the target alone, so
// neither threads nor devices change the order of a sum.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_FOLDSINPARTS_H
#define MPC_DIALECT_GRAPH_ANALYSIS_FOLDSINPARTS_H

#include "mpc/Dialect/Graph/Analysis/ColumnOperands.h"

namespace mpc::graph {

class FoldsInParts {
public:
  /// Of all columns of one part that a kernel adds to while its rows go by:
  /// they stay in the innermost cache, or in the registers of a block.
  static constexpr int64_t kMaxPartBytes = int64_t(32) * 1024;

  struct Decision {
    Operation *fold;
    int64_t rowsPerPart; ///< 0: it is not folded in parts.
    std::string reason;  ///< Why not.
  };

  /// Of the block; `calls` are its library calls on `target`.
  FoldsInParts(Block &block, const LibraryCalls &calls,
               const TargetDescription &target);

  /// Of the folds beside which rows of the same tensors are folded.
  ArrayRef<Decision> getDecisions() const { return decisions; }

private:
  struct Fold;
  static std::optional<Fold> describe(Operation *op);
  void addRows(const Fold &fold, Operation *op);
  SmallVector<Value> getTensors(Operation *fold) const;
  bool hasRowsBeside(const Fold &fold, Operation *op) const;
  Decision decide(const Fold &fold, Operation *op);

  /// A tensor that rows are folded of, the fence behind which that is done, and
  /// the elements of a row.
  using Rows = std::tuple<Value, int, int64_t>;
  const TargetDescription &target;
  ColumnOperands operands;
  DenseSet<Rows> rows;
  /// Of all folds in parts behind a fence, of rows of one length.
  DenseMap<std::pair<int, int64_t>, int64_t> partBytes;
  SmallVector<Decision> decisions;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_FOLDSINPARTS_H
