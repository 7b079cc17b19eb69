// The cheapest assignment of precisions, as a problem on plain numbers.
//
// A site is something that runs either wide (f32) or narrow (16 bits): an op,
// or one side of an op whose operands and results may differ. A value is made
// at one site and used at others; when maker and user disagree it is cast, once
// per type however many users want that type.
//
//   cost = sum over sites   (wideCost or narrowCost)
//        + sum over values  castCost   if the maker is wide and a user narrow
//                         + castCost   if the maker is narrow and a user wide
//
// Why a minimum cut is exact. Every site takes one of two states, and every
// term of the cost is a cut function of them. Let source = wide, sink = narrow;
// an edge u -> w of capacity c costs c when u is wide and w is narrow.
//   * A site's own cost: edges source -> site (narrowCost) and site -> sink
//     (wideCost).
//   * The narrow copy of a value v: one auxiliary node d, an edge
//     maker -> d of capacity castCost, and infinite edges d -> user. A narrow
//     user forbids a wide d; a narrow d under a wide maker costs castCost,
//     once. With no narrow user, d is wide and free.
//   * The wide copy: one auxiliary node u, infinite edges user -> u and an edge
//     u -> maker of capacity castCost, by the same argument mirrored.
// Where a user is narrow in another 16-bit type than the maker would be (an
// inner region with a type of its own), it needs a copy of its own, from the
// value as it was made: `castCost` from 16 bits, `wideCost` from f32, and
// wideCost >= castCost.
//   * That copy: one auxiliary node d per type, infinite edges d -> user, an
//     edge source -> d of capacity castCost, and maker -> d of capacity
//     wideCost - castCost. A narrow d costs the first, and the second as well
//     when the maker is wide. Wide users hang on the wide copy as before.
// So each assignment of the sites extends to a cut of exactly its cost (the
// auxiliary nodes take their best side), and each finite cut is at least the
// cost of the assignment that it restricts to. Hence minimum = minimum. With a
// third state per site this would be a multiway cut, which is NP-hard: that is
// why a site belongs to one pair {f32, t} and chooses between these two.
#ifndef MPC_DIALECT_GRAPH_PRECISION_CASTCUT_H
#define MPC_DIALECT_GRAPH_PRECISION_CASTCUT_H

#include <cstdint>
#include <optional>
#include <vector>

namespace mpc::graph {

struct CastCutProblem {
  /// The state that a site must take, if any.
  enum class Fixed : uint8_t { No, Wide, Narrow };

  /// All costs are in bytes and not negative.
  struct Site {
    int64_t wideCost = 0;
    int64_t narrowCost = 0;
    Fixed fixed = Fixed::No;
  };
  /// Users whose 16-bit type is not the maker's.
  struct Crossing {
    int64_t castCost; ///< From the maker's 16-bit type.
    int64_t wideCost; ///< From f32.
    std::vector<unsigned> users;
  };
  struct Cast {
    unsigned maker;
    int64_t castCost;
    std::vector<unsigned> users;
    std::vector<Crossing> crossings = {}; ///< One per other 16-bit type.
  };

  std::vector<Site> sites;
  std::vector<Cast> values;

  unsigned addSite(Site site) {
    sites.push_back(site);
    return sites.size() - 1;
  }
};

/// Whether each site runs narrow, and what the assignment costs.
struct CastCutSolution {
  std::vector<bool> narrow;
  int64_t cost = 0;
};

/// The cost of an assignment, by the definition above.
int64_t costOf(const CastCutProblem &problem, const std::vector<bool> &narrow);

/// An assignment that respects the fixed sites and has the smallest cost. Among
/// several, the one with the most wide sites: f32 where 16 bits save nothing.
CastCutSolution solve(const CastCutProblem &problem);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_PRECISION_CASTCUT_H
