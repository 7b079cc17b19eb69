#include "ContractionGraph.h"

using namespace mpc;
using namespace mpc::graph;

// Long searches come from edges that span the whole step, as from an activation
// to its use in the backward; those are not worth merging.
constexpr int kMaxSteps = 2000;

int ContractionGraph::addNode() {
  int node = nodes.size();
  nodes.push_back({node, {}, {}});
  parents.push_back(node);
  visited.push_back(0);
  return node;
}

void ContractionGraph::addEdge(int from, int to) {
  nodes[from].out.push_back(to);
  nodes[to].in.push_back(from);
}

int ContractionGraph::find(int node) const {
  while (parents[node] != node)
    node = parents[node] = parents[parents[node]];
  return node;
}

std::optional<SmallVector<int>> ContractionGraph::search(int start, int goal,
                                                         Direction direction) {
  bool forward = direction == Direction::Forward;
  int mark = ++searches, steps = 0;
  SmallVector<int> reached, stack{start};
  visited[start] = mark;
  while (!stack.empty()) {
    int node = stack.pop_back_val();
    for (int raw : forward ? nodes[node].out : nodes[node].in) {
      if (++steps > kMaxSteps)
        return std::nullopt;
      int next = find(raw);
      if (next == goal && node != start)
        return std::nullopt;
      bool between = forward ? nodes[next].rank < nodes[goal].rank
                             : nodes[next].rank > nodes[goal].rank;
      if (next == goal || !between || visited[next] == mark)
        continue;
      visited[next] = mark;
      reached.push_back(next);
      stack.push_back(next);
    }
  }
  return reached;
}

std::optional<int> ContractionGraph::merge(int a, int b) {
  a = find(a);
  b = find(b);
  if (nodes[a].rank > nodes[b].rank)
    std::swap(a, b);
  auto after = search(a, b, Direction::Forward);
  auto before = after ? search(b, a, Direction::Backward) : std::nullopt;
  if (!before)
    return std::nullopt;

  // What must come before the merged node, the node, and what must come after
  // it share the places that they all have now.
  auto byRank = [&](int x, int y) { return nodes[x].rank < nodes[y].rank; };
  llvm::sort(*before, byRank);
  llvm::sort(*after, byRank);
  SmallVector<int> places{nodes[a].rank, nodes[b].rank};
  for (int node : llvm::concat<int>(*before, *after))
    places.push_back(nodes[node].rank);
  llvm::sort(places);
  size_t next = 0;
  for (int node : *before)
    nodes[node].rank = places[next++];
  int rank = places[next++];
  for (int node : *after)
    nodes[node].rank = places[next++];

  int kept = a, gone = b;
  if (nodes[a].out.size() + nodes[a].in.size() <
      nodes[b].out.size() + nodes[b].in.size())
    std::swap(kept, gone);
  parents[gone] = kept;
  nodes[kept].rank = rank;
  nodes[kept].out.append(nodes[gone].out);
  nodes[kept].in.append(nodes[gone].in);
  // Edges between the two are inside now.
  auto isInside = [&](int node) { return find(node) == kept; };
  llvm::erase_if(nodes[kept].out, isInside);
  llvm::erase_if(nodes[kept].in, isInside);
  return kept;
}
