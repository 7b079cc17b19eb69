// The two numbers of a link, from times that a link would have, and that ranks
// measure.
#include "mpc/Ranks/Link.h"

#include "ThreadWorld.h"
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using namespace std::chrono_literals;

/// 8 ranks of 20 us and 450 GB/s send 7/4 of the bytes: 9 GB take 35 ms.
TEST(Link, PredictsAnAllReduce) {
  Link link{20, 450};
  EXPECT_DOUBLE_EQ(link.predict(0, 8), 20);
  EXPECT_DOUBLE_EQ(link.predict(9'000'000'000, 8), 20 + 35'000);
  EXPECT_DOUBLE_EQ(link.predict(450'000, 2), 21);
}

TEST(Link, IsFoundInItsOwnTimes) {
  for (uint32_t ranks : {2, 3, 8, 1024})
    for (Link link : {Link{20, 450}, Link{60, 2}, Link{7000, 0.5}}) {
      std::vector<LinkTime> times;
      for (uint64_t bytes : {1 << 15, 1 << 18, 1 << 20, 1 << 24})
        times.push_back({bytes, 1, link.predict(bytes, ranks)});
      Result<Link> found = fitLink(times, ranks);
      ASSERT_TRUE(found) << found.status().message();
      EXPECT_NEAR(found->latency / link.latency, 1, 1e-6);
      EXPECT_NEAR(found->bandwidth / link.bandwidth, 1, 1e-6);
    }
}

/// One of 2 ranks sends as many bytes as there are: t = 10 + 10 b / MB for
/// three times, of which the last is twice as long as it should be. By hand:
/// with x = 1/t and y = b/t, the sums are xx = 1/100 + 1/400 + 1/3600 =
/// 46/3600, xy = 0 + 1/400 + 2/3600 = 11/3600, yy = 1/400 + 4/3600 = 13/3600, x
/// = 1/10 + 1/20 + 1/60 = 10/60, y = 1/20 + 2/60 = 5/60 (in MB and us).
TEST(Link, IsTheNearestByRelativeErrors) {
  Result<Link> found =
      fitLink({{0, 1, 10}, {1'000'000, 1, 20}, {2'000'000, 1, 60}}, 2);
  ASSERT_TRUE(found) << found.status().message();
  const double area = 46. * 13 - 11 * 11;
  EXPECT_NEAR(found->latency, 60 * (10 * 13 - 5 * 11) / area, 1e-9);
  EXPECT_NEAR(1e3 / found->bandwidth, 60 * (5 * 46 - 10 * 11) / area, 1e-9);
}

TEST(Link, IsNotFoundInTimesOfNone) {
  for (const std::vector<LinkTime> &times :
       {std::vector<LinkTime>{},
        {{1000, 1, 5}},
        {{1000, 1, 5}, {1000, 1, 5}},          // one length
        {{1000, 1, 50}, {1'000'000, 1, 5}},    // the more the faster
        {{1000, 1, 0.01}, {100'000, 1, 5}}}) { // time before nothing
    Result<Link> found = fitLink(times, 2);
    EXPECT_FALSE(found);
    EXPECT_EQ(found.status().code(), StatusCode::LibraryError);
  }
}

/// All ranks have the same times, of as many calls.
TEST(Link, IsMeasuredAlikeByAllRanks) {
  World world(3, {20s});
  std::array<std::vector<LinkTime>, 3> found;
  world.each([&](Group &group, uint32_t rank) {
    auto times = measureLink(group, 50ms);
    ASSERT_TRUE(times) << times.status().message();
    found[rank] = *times;
  });
  ASSERT_EQ(found[0].size(), 8u);
  EXPECT_EQ(found[0].front().bytes, 32u << 10);
  EXPECT_EQ(found[0].back().bytes, 16u << 20);
  for (size_t i = 0; i < found[0].size(); ++i) {
    EXPECT_GE(found[0][i].calls, 15u);
    EXPECT_GT(found[0][i].microseconds, 0);
    for (const std::vector<LinkTime> &other : found) {
      EXPECT_EQ(other[i].calls, found[0][i].calls);
      EXPECT_EQ(other[i].microseconds, found[0][i].microseconds);
    }
  }
}

TEST(Link, IsNotMeasuredWhereARankGivesUp) {
  World world(2, {20s});
  world.each([&](Group &group, uint32_t rank) {
    if (rank == 1)
      return group.abort("it has enough");
    group.abort("rank 1: it has enough");
    EXPECT_EQ(measureLink(group, 50ms).status().message(),
              "rank 1: it has enough");
  });
}
