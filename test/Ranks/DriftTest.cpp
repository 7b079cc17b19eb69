// What is told of ranks whose states have drifted apart.
#include "mpc/Ranks/Drift.h"

#include <gtest/gtest.h>

using namespace mpc::ranks;

namespace {
const std::vector<std::string> kNames = {"w", "b", "w.moment"};
} // namespace

TEST(Drift, Alike) {
  EXPECT_EQ(describeDrift({{1, 2, 3}, {1, 2, 3}}, kNames), "");
  EXPECT_EQ(describeDrift({{1, 2, 3}}, kNames), "");
  EXPECT_EQ(describeDrift({{}, {}}, {}), "");
}

TEST(Drift, TheMajorityIsRight) {
  EXPECT_EQ(describeDrift({{1, 2, 3}, {1, 5, 3}, {1, 2, 3}}, kNames),
            "rank 1 has another 'b' than the rest");
  EXPECT_EQ(describeDrift({{9, 2, 4}, {1, 2, 3}, {1, 2, 3}}, kNames),
            "rank 0 has another 'w' and 1 more than the rest");
  // Two that are wrong, each in its own way.
  EXPECT_EQ(
      describeDrift({{1, 2, 3}, {7, 2, 3}, {1, 2, 3}, {1, 2, 8}, {1, 2, 3}},
                    kNames),
      "ranks 1 and 3 have another 'w' and 1 more than the rest");
}

TEST(Drift, NoMajority) {
  EXPECT_EQ(describeDrift({{1, 2, 3}, {1, 2, 4}}, kNames),
            "ranks 0 and 1 have drifted apart in 'w.moment', and no majority "
            "tells who is right");
  EXPECT_EQ(describeDrift({{1, 2, 3}, {1, 0, 3}, {1, 2, 3}, {1, 0, 3}}, kNames),
            "ranks 0, 1, 2 and 3 have drifted apart in 'b', and no majority "
            "tells who is right");
}
