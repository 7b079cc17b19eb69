#include "mpc/Dialect/Graph/Precision/CastCut.h"
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <deque>

using namespace mpc::graph;

namespace {

using Traits =
    boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
struct Vertex {
  boost::default_color_type color = boost::white_color;
  int64_t distance = 0;
  Traits::edge_descriptor predecessor;
};
struct Edge {
  int64_t capacity = 0;
  int64_t residual = 0;
  Traits::edge_descriptor reverse;
};
using FlowGraph = boost::adjacency_list<boost::vecS, boost::vecS,
                                        boost::directedS, Vertex, Edge>;

/// The flow network of a problem. Fixed sites are the terminals themselves, so
/// that they cost no search.
class CutNetwork {
public:
  explicit CutNetwork(const CastCutProblem &problem)
      : problem(problem), graph(2), nodeOf(problem.sites.size()) {
    for (const auto &site : problem.sites)
      unbounded += site.wideCost + site.narrowCost;
    for (const auto &value : problem.values) {
      unbounded += 2 * value.castCost;
      for (const auto &crossing : value.crossings)
        unbounded += crossing.wideCost;
    }
    addSites();
    for (const auto &value : problem.values) {
      addCopy(value, value.users, /*narrowCopy=*/true);
      addCopy(value, allUsers(value), /*narrowCopy=*/false);
      for (const auto &crossing : value.crossings)
        addCrossing(nodeOf[value.maker], crossing);
    }
  }

  std::vector<bool> solve() {
    boost::boykov_kolmogorov_max_flow(
        graph, boost::get(&Edge::capacity, graph),
        boost::get(&Edge::residual, graph), boost::get(&Edge::reverse, graph),
        boost::get(&Vertex::predecessor, graph),
        boost::get(&Vertex::color, graph), boost::get(&Vertex::distance, graph),
        boost::get(boost::vertex_index, graph), kWide, kNarrow);
    std::vector<bool> reachesSink = findSinkSide();
    std::vector<bool> narrow;
    for (size_t node : nodeOf)
      narrow.push_back(reachesSink[node]);
    return narrow;
  }

private:
  static constexpr size_t kWide = 0, kNarrow = 1;

  void addEdge(size_t from, size_t to, int64_t forward, int64_t backward = 0) {
    if (from == to || (forward == 0 && backward == 0))
      return;
    auto there = boost::add_edge(from, to, graph).first;
    auto back = boost::add_edge(to, from, graph).first;
    graph[there].capacity = forward;
    graph[back].capacity = backward;
    graph[there].reverse = back;
    graph[back].reverse = there;
  }

  void addSites() {
    using Fixed = CastCutProblem::Fixed;
    for (size_t i = 0; i < problem.sites.size(); ++i) {
      const auto &site = problem.sites[i];
      if (site.fixed != Fixed::No) {
        nodeOf[i] = site.fixed == Fixed::Wide ? kWide : kNarrow;
        continue;
      }
      nodeOf[i] = boost::add_vertex(graph);
      addEdge(kWide, nodeOf[i], site.narrowCost);
      addEdge(nodeOf[i], kNarrow, site.wideCost);
    }
  }

  static std::vector<unsigned> allUsers(const CastCutProblem::Cast &value) {
    std::vector<unsigned> users = value.users;
    for (const auto &crossing : value.crossings)
      users.insert(users.end(), crossing.users.begin(), crossing.users.end());
    return users;
  }

  std::vector<size_t> nodesOf(const std::vector<unsigned> &sites) const {
    std::vector<size_t> nodes;
    for (unsigned site : sites)
      nodes.push_back(nodeOf[site]);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  void addCopy(const CastCutProblem::Cast &value,
               const std::vector<unsigned> &sites, bool narrowCopy) {
    size_t maker = nodeOf[value.maker];
    std::vector<size_t> users = nodesOf(sites);
    std::erase(users, maker);
    if (users.empty())
      return;
    auto addDirected = [&](size_t from, size_t to, int64_t capacity) {
      narrowCopy ? addEdge(from, to, capacity) : addEdge(to, from, capacity);
    };
    if (users.size() == 1) // The auxiliary node would be the user itself.
      return addDirected(maker, users.front(), value.castCost);
    size_t copy = boost::add_vertex(graph);
    addDirected(maker, copy, value.castCost);
    for (size_t user : users)
      addDirected(copy, user, unbounded + 1);
  }

  void addCrossing(size_t maker, const CastCutProblem::Crossing &crossing) {
    size_t copy = boost::add_vertex(graph);
    addEdge(kWide, copy, crossing.castCost);
    addEdge(maker, copy, crossing.wideCost - crossing.castCost);
    for (size_t user : nodesOf(crossing.users))
      addEdge(copy, user, unbounded + 1);
  }

  /// Nodes from which the sink is reached through residual edges: the smallest
  /// sink side among all minimum cuts.
  std::vector<bool> findSinkSide() {
    std::vector<bool> reaches(boost::num_vertices(graph), false);
    std::deque<size_t> queue{kNarrow};
    reaches[kNarrow] = true;
    while (!queue.empty()) {
      size_t node = queue.front();
      queue.pop_front();
      for (auto [it, end] = boost::out_edges(node, graph); it != end; ++it) {
        size_t next = boost::target(*it, graph);
        if (reaches[next] || graph[graph[*it].reverse].residual == 0)
          continue;
        reaches[next] = true;
        queue.push_back(next);
      }
    }
    return reaches;
  }

  const CastCutProblem &problem;
  FlowGraph graph;
  std::vector<size_t> nodeOf;
  int64_t unbounded = 0;
};

} // namespace

/// Whether one of `users` runs narrow, or wide if `state` is false.
static bool hasUser(const std::vector<unsigned> &users,
                    const std::vector<bool> &narrow, bool state) {
  return std::any_of(users.begin(), users.end(),
                     [&](unsigned user) { return narrow[user] == state; });
}

int64_t mpc::graph::costOf(const CastCutProblem &problem,
                           const std::vector<bool> &narrow) {
  int64_t cost = 0;
  for (size_t i = 0; i < problem.sites.size(); ++i)
    cost += narrow[i] ? problem.sites[i].narrowCost : problem.sites[i].wideCost;
  for (const auto &value : problem.values) {
    bool maker = narrow[value.maker];
    bool isCast = hasUser(value.users, narrow, !maker);
    for (const auto &crossing : value.crossings) {
      isCast |= maker && hasUser(crossing.users, narrow, false);
      if (hasUser(crossing.users, narrow, true))
        cost += maker ? crossing.castCost : crossing.wideCost;
    }
    cost += isCast ? value.castCost : 0;
  }
  return cost;
}

CastCutSolution mpc::graph::solve(const CastCutProblem &problem) {
  CastCutSolution solution;
  solution.narrow = CutNetwork(problem).solve();
  solution.cost = costOf(problem, solution.narrow);
  return solution;
}
