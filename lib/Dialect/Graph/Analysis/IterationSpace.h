// The iteration space of ops that one kernel executes. The one model of what a
// kernel can be: grouping asks it before it merges, and the shape of a kernel
// is read from it, so that no group is formed that cannot be shaped.
//
// Dims of different tensors are one dim of the space if an op runs along both
// at once. Reductions of equal loops that run over different dims, as sums of
// unrelated tensors do, are laid over each other.
//
// A fold in parts stands beside reductions: what it keeps are the dims that
// they fold, and what it folds, so many rows at a time, are the item dims.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_ITERATIONSPACE_H
#define MPC_DIALECT_GRAPH_ANALYSIS_ITERATIONSPACE_H

#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "llvm/ADT/IntEqClasses.h"

namespace mpc::graph {

/// An op as the space sees it. Made once per op: grouping asks for many spaces.
struct SpaceOp {
  explicit SpaceOp(Operation *op);

  Operation *op;
  OpForm form;
  /// Operands that the space does not address run along no dim: splats and
  /// what slices read.
  OpIndexing indexing;
  bool folds = false; ///< Any of its dims; a fold in parts does not.

  /// Of one part of a fold in parts, which are the first dim of its results.
  int64_t getPartBytes() const;
};

/// Why ops cannot be executed by one kernel.
struct Misfit {
  enum class Kind {
    NoKernelOp,   ///< `op` is nothing that a kernel computes
    InnerSlice,   ///< slice `op` reads what is not stored
    TwoIndices,   ///< `op` needs elements of one value at two indices at once
    OtherFolds,   ///< reduction `op` folds other dims than the first one
    OtherParts,   ///< `op` folds in parts, but not all items in their order
    ReadsParts,   ///< `op` reads parts that the others only begin
    TooManyDims,  ///< for the masks of KernelShape; `op` is the last
    TooManySweeps ///< the same; `op` is the first that waits too long
  };
  Kind kind;
  Operation *op;
};
/// `misfit` as the reason of a refusal.
StringRef describe(const Misfit &misfit);

class IterationSpace {
public:
  /// What the masks have room for.
  static constexpr unsigned kMaxDims = 62, kMaxSweeps = 62;

  /// The space of `ops`, in program order. What it is depends on these alone,
  /// not on how they came together. Splats take part only if they are stored.
  explicit IterationSpace(ArrayRef<const SpaceOp *> ops);

  /// Why there is none; then nothing else may be asked.
  const std::optional<Misfit> &getMisfit() const { return misfit; }
  /// Whether every item writes elements of `value` of its own, and all of them.
  /// A kernel whose results do not all fit has no space either.
  bool canStore(Value value) const;

  unsigned getNumDims() const { return sizes.size(); }
  int64_t getSize(int dim) const { return sizes[dim]; }
  /// Dims that reductions fold, and the others: one bit each.
  uint64_t getReduced() const { return reduced; }
  uint64_t getItems() const { return getAll() & ~reduced; }
  uint64_t getAll() const { return (uint64_t(1) << sizes.size()) - 1; }
  /// Whether ops on `loops` are computed once: they run over the whole space,
  /// or over its items, before or after the reductions.
  bool isWhole(uint64_t loops) const {
    return loops == getAll() || loops == getItems();
  }
  /// Dims that the op at position `number` runs along.
  uint64_t getLoops(unsigned number) const { return entries[number].mask; }
  /// Reductions that had to be laid over the first one.
  unsigned getNumAligned() const { return numAligned; }
  /// Items, in their order, that are folded into one part; 0: none are.
  int64_t getRowsPerPart() const {
    return partial ? entries[*partial].op->indexing.rowsPerPart : 0;
  }

  /// All dims: those of a fold in parts, or of the op with the most elements,
  /// in its own order, and what it lacks before them. The innermost dim is the
  /// last one.
  SmallVector<int> getOrder() const;
  /// For each dim of `value` its dim of the space, or -1; nothing if no op runs
  /// along it (operands of slices).
  std::optional<ArrayRef<int>> getDims(Value value) const;
  /// Reductions that `value` waits for, one after the other.
  unsigned getDepth(Value value) const { return depths.lookup(value); }

private:
  struct Entry {
    const SpaceOp *op;
    SmallVector<int> dims;
    uint64_t mask = 0;
  };
  void refuse(Misfit::Kind kind, Operation *op);
  void checkForms(ArrayRef<const SpaceOp *> ops);
  void add(const SpaceOp &op);
  void bind(Value value, ArrayRef<int> along, ArrayRef<int> dims);
  void alignReductions();
  void numberDims();
  void checkLoops();
  void checkReaders();
  void checkParts();
  void followDepths();

  llvm::IntEqClasses classes;
  SmallVector<int64_t> sizes;
  SmallVector<Entry, 0> entries;
  DenseMap<Value, SmallVector<int, 4>> values;
  DenseMap<Value, unsigned> depths;
  uint64_t reduced = 0;
  bool hasPartial = false;       ///< Whether any op folds in parts.
  std::optional<size_t> partial; ///< Number of the first that does.
  unsigned numAligned = 0;
  std::optional<Misfit> misfit;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_ITERATIONSPACE_H
