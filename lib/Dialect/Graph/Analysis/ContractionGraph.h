// A directed acyclic graph whose nodes can be merged as long as it stays
// acyclic. Keeps a topological order under merging (Pearce and Kelly, "A
// dynamic topological sort algorithm for directed acyclic graphs", 2007): a
// merge looks only at nodes between the two in that order.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_CONTRACTIONGRAPH_H
#define MPC_DIALECT_GRAPH_ANALYSIS_CONTRACTIONGRAPH_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

class ContractionGraph {
public:
  /// Adds a node after all others and returns its number.
  int addNode();
  /// Adds an edge between nodes added in this order, before any merge.
  void addEdge(int from, int to);

  /// The node that `node` has become part of.
  int find(int node) const;
  /// Position in the topological order; not contiguous.
  int getRank(int node) const { return nodes[find(node)].rank; }

  /// Merges two nodes into one and returns it; nothing if another path connects
  /// them, or if finding out would take more than a bounded number of steps.
  std::optional<int> merge(int a, int b);

private:
  struct Node {
    int rank;
    SmallVector<int> in, out;
  };
  enum class Direction { Forward, Backward };
  /// Nodes reached from `start`, not over the edge to `goal`, that lie between
  /// the two. Nothing if `goal` is reached or the search is too long.
  std::optional<SmallVector<int>> search(int start, int goal,
                                         Direction direction);

  SmallVector<Node, 0> nodes;
  /// What each became part of, or itself. Asking makes the paths shorter.
  mutable SmallVector<int, 0> parents;
  SmallVector<int> visited; ///< Number of the search that last saw the node.
  int searches = 0;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_CONTRACTIONGRAPH_H
