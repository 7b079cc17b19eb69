// What can be done to the steps of a model so that they need less: products
// that can be made in chunks of rows, and values that can be computed again.
// Entries of one model have alike products and candidates, so one choice is for
// all of them.
#ifndef MPC_LIB_PIPELINES_MEMORYLIMIT_CHOICES_H
#define MPC_LIB_PIPELINES_MEMORYLIMIT_CHOICES_H

#include "Choice.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Analysis/Memory/RecomputeAnalysis.h"

namespace mpc::memory_limit {

/// Products whose results have one type.
struct Products {
  RankedTensorType type;
  SmallVector<Operation *> ops;
};

class Choices {
public:
  /// Of entries that train, at least one, and of `forward`.
  Choices(ArrayRef<mlir::func::FuncOp> steps, mlir::func::FuncOp forward);

  /// Of all entries, the largest first: logits, and what may be larger.
  ArrayRef<Products> getProducts() const { return products; }
  /// Of the first step.
  ArrayRef<graph::RecomputeCandidate> getCandidates() const {
    return analyses.front().getCandidates();
  }
  double getStepFlops() const { return analyses.front().getStepFlops(); }

  /// Writes `choice` as marks on the ops, for the passes that do it; marks of
  /// another choice go.
  void mark(const Choice &choice);

private:
  void addProducts(mlir::func::FuncOp entry);

  std::vector<graph::RecomputeAnalysis> analyses; ///< By step.
  SmallVector<Products> products;
  DenseSet<Operation *> marked; ///< To be computed again.
};

} // namespace mpc::memory_limit

#endif // MPC_LIB_PIPELINES_MEMORYLIMIT_CHOICES_H
