// The iteration spaces of groups that grow by merging: which dims each group
// runs along, which it folds, and whether two groups run over one space.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_GROUPSPACES_H
#define MPC_DIALECT_GRAPH_ANALYSIS_GROUPSPACES_H

#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"

namespace mpc::graph {

class GroupSpaces {
public:
  /// The space of a group of one op, under the number `group`.
  void add(int group, Operation *op);

  /// Whether the two groups run over one space. With `align`, reductions with
  /// equal loops are laid over each other though they share no value.
  /// After a yes, either merge or cancel must follow.
  bool canMerge(int a, int b, bool align);
  /// Whether `inner` folds nothing and runs over some dims of `outer` only, as
  /// the cast of a row of weights does. The same must follow.
  bool canAbsorb(int inner, int outer);
  void cancel();
  /// Makes one group of them under the number `into`, which is a or b.
  void merge(int a, int b, int into);

  bool isScalar(int group) const { return spaces.at(group).dims.empty(); }

private:
  struct Space {
    SmallVector<int> dims;    ///< All dims, representatives of their class.
    SmallVector<int> reduced; ///< Those that reductions fold.
    SmallVector<int> loops;   ///< Dims of the first reduction, in its order.
    SmallVector<bool> folds;  ///< Which of them it folds.
    DenseMap<Value, SmallVector<int>> values;
  };
  int find(int dim) const;
  bool unite(int a, int b);
  void uniteValues(const Space &a, const Space &b);
  void uniteReductions(const Space &a, const Space &b);
  void bind(Space &space, Value value, ArrayRef<int> along, ArrayRef<int> dims);
  /// The present classes of `dims`, sorted; nothing if two fell into one.
  std::optional<SmallVector<int>> getClasses(ArrayRef<int> dims) const;
  bool isOneSpace(const Space &a, const Space &b) const;

  DenseMap<int, Space> spaces;
  SmallVector<int> parents;
  SmallVector<int64_t> sizes;
  SmallVector<int> undo; ///< Dims whose parent the running attempt changed.
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_GROUPSPACES_H
