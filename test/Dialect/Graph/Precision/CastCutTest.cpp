// The minimum cut against enumeration of all assignments.
#include "mpc/Dialect/Graph/Precision/CastCut.h"
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace mpc::graph;
using Fixed = CastCutProblem::Fixed;

namespace {

bool respects(const CastCutProblem &problem, const std::vector<bool> &narrow) {
  for (size_t i = 0; i < problem.sites.size(); ++i) {
    Fixed fixed = problem.sites[i].fixed;
    if (fixed != Fixed::No && narrow[i] != (fixed == Fixed::Narrow))
      return false;
  }
  return true;
}

/// Smallest cost over all assignments, written out from the definition: a
/// value is cast once to each of the two types that a user wants and the maker
/// does not give.
int64_t enumerate(const CastCutProblem &problem) {
  int64_t best = std::numeric_limits<int64_t>::max();
  size_t n = problem.sites.size();
  for (uint32_t bits = 0; bits < (1u << n); ++bits) {
    std::vector<bool> narrow(n);
    for (size_t i = 0; i < n; ++i)
      narrow[i] = (bits >> i) & 1;
    if (!respects(problem, narrow))
      continue;
    int64_t cost = 0;
    for (size_t i = 0; i < n; ++i)
      cost +=
          narrow[i] ? problem.sites[i].narrowCost : problem.sites[i].wideCost;
    for (const auto &value : problem.values) {
      bool down = false, up = false;
      for (unsigned user : value.users) {
        down |= !narrow[value.maker] && narrow[user];
        up |= narrow[value.maker] && !narrow[user];
      }
      for (const auto &crossing : value.crossings) {
        bool other = false;
        for (unsigned user : crossing.users) {
          other |= narrow[user];
          up |= narrow[value.maker] && !narrow[user];
        }
        if (other)
          cost += narrow[value.maker] ? crossing.castCost : crossing.wideCost;
      }
      cost += (down ? value.castCost : 0) + (up ? value.castCost : 0);
    }
    best = std::min(best, cost);
  }
  return best;
}

/// A random DAG: each site makes a value that up to three later sites use.
/// With crossings, some values go to users of another 16-bit type as well.
CastCutProblem randomProblem(std::mt19937 &rng, bool withSiteCosts,
                             bool withCrossings) {
  auto upTo = [&](int high) {
    return std::uniform_int_distribution<int>(0, high)(rng);
  };
  CastCutProblem problem;
  int n = 2 + upTo(10);
  for (int i = 0; i < n; ++i) {
    int word = upTo(4);
    Fixed fixed = word == 0   ? Fixed::Wide
                  : word == 1 ? Fixed::Narrow
                              : Fixed::No;
    problem.addSite(
        {withSiteCosts ? upTo(40) : 0, withSiteCosts ? upTo(20) : 0, fixed});
  }
  for (int maker = 0; maker + 1 < n; ++maker) {
    CastCutProblem::Cast value{static_cast<unsigned>(maker), upTo(30), {}};
    for (int k = 0, e = upTo(3); k < e; ++k)
      value.users.push_back(maker + 1 + upTo(n - maker - 2));
    if (withCrossings && upTo(1)) {
      CastCutProblem::Crossing crossing{upTo(10), 0, {}};
      crossing.wideCost = crossing.castCost + upTo(10);
      for (int k = 0, e = 1 + upTo(1); k < e; ++k)
        crossing.users.push_back(maker + 1 + upTo(n - maker - 2));
      value.crossings.push_back(crossing);
    }
    problem.values.push_back(value);
  }
  return problem;
}

void checkRandomProblems(bool withSiteCosts, bool withCrossings = false) {
  std::mt19937 rng(7);
  for (int round = 0; round < 2000; ++round) {
    CastCutProblem problem = randomProblem(rng, withSiteCosts, withCrossings);
    CastCutSolution solution = solve(problem);
    ASSERT_TRUE(respects(problem, solution.narrow)) << "round " << round;
    ASSERT_EQ(solution.cost, costOf(problem, solution.narrow));
    ASSERT_EQ(solution.cost, enumerate(problem)) << "round " << round;
  }
}

TEST(CastCut, NoAssignmentIsCheaper) { checkRandomProblems(true); }

TEST(CastCut, NoAssignmentHasFewerCastBytes) { checkRandomProblems(false); }

TEST(CastCut, NoAssignmentWithTwoNarrowTypesIsCheaper) {
  checkRandomProblems(true, /*withCrossings=*/true);
}

// One wide maker, three narrow users: casting once costs 10, so all users stay
// narrow when running wide costs them 4 each, though 10 > 4.
TEST(CastCut, CopyIsPaidOncePerType) {
  CastCutProblem problem;
  unsigned maker = problem.addSite({0, 0, Fixed::Wide});
  CastCutProblem::Cast value{maker, 10, {}};
  for (int i = 0; i < 3; ++i)
    value.users.push_back(problem.addSite({4, 0, Fixed::No}));
  problem.values.push_back(value);
  CastCutSolution solution = solve(problem);
  EXPECT_EQ(solution.cost, 10);
  EXPECT_EQ(solution.narrow, (std::vector<bool>{false, true, true, true}));
}

TEST(CastCut, TiesStayWide) {
  CastCutProblem problem;
  problem.addSite({5, 5, Fixed::No});
  problem.addSite({0, 0, Fixed::No});
  problem.values.push_back({0, 3, {1}});
  EXPECT_EQ(solve(problem).narrow, (std::vector<bool>{false, false}));
}

TEST(CastCut, NothingToDecide) {
  EXPECT_EQ(solve({}).cost, 0);
  CastCutProblem problem;
  problem.addSite({3, 0, Fixed::Wide});
  EXPECT_EQ(solve(problem).cost, 3);
}

} // namespace
