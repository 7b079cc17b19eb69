// Philox against the known answers of Random123 (kat_vectors), and the
// distributions against their moments.
#include "mpc/Runtime/Random.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mpc::runtime;

TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                   {0xffffffff, 0xffffffff}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

static constexpr int kBlocks = 500000; // a million numbers

TEST(RandomStream, UniformMoments) {
  RandomStream stream(7, "w");
  double sum = 0, squares = 0, least = 1, most = 0;
  for (int block = 0; block < kBlocks; ++block)
    for (double x : stream.uniformPair(block)) {
      sum += x;
      squares += x * x;
      least = std::min(least, x);
      most = std::max(most, x);
    }
  double n = 2.0 * kBlocks, mean = sum / n;
  EXPECT_NEAR(mean, 0.5, 5 / std::sqrt(12 * n));
  EXPECT_NEAR(squares / n - mean * mean, 1.0 / 12, 1e-3);
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_LT(least, 1e-5);
  EXPECT_GT(most, 1 - 1e-5);
}

TEST(RandomStream, NormalMoments) {
  RandomStream stream(7, "w");
  double moments[5] = {};
  int beyondTwo = 0;
  for (int block = 0; block < kBlocks; ++block)
    for (double x : stream.normalPair(block)) {
      for (int p = 1; p <= 4; ++p)
        moments[p] += std::pow(x, p);
      beyondTwo += std::abs(x) > 2;
    }
  double n = 2.0 * kBlocks; // each bound is about five standard errors
  EXPECT_NEAR(moments[1] / n, 0, 0.005);
  EXPECT_NEAR(moments[2] / n, 1, 0.008);
  EXPECT_NEAR(moments[3] / n, 0, 0.02);
  EXPECT_NEAR(moments[4] / n, 3, 0.05);
  EXPECT_NEAR(beyondTwo / n, std::erfc(std::sqrt(2.0)), 0.0011);
}

TEST(RandomStream, NamesAndSeedsDiffer) {
  auto first = [](uint64_t seed, const char *name) {
    return RandomStream(seed, name).uniformPair(0)[0];
  };
  EXPECT_EQ(first(1, "w"), first(1, "w"));
  EXPECT_NE(first(1, "w"), first(2, "w"));
  EXPECT_NE(first(1, "w"), first(1, "b"));
  EXPECT_NE(first(1, "w"), first(uint64_t(1) << 32 | 1, "w"));
}

TEST(RandomStream, NeighboursAreUncorrelated) {
  RandomStream stream(3, "x");
  double within = 0, across = 0, last = 0;
  for (int block = 0; block < kBlocks; ++block) {
    auto [a, b] = stream.normalPair(block);
    within += a * b;
    across += a * last;
    last = b;
  }
  EXPECT_NEAR(within / kBlocks, 0, 0.008);
  EXPECT_NEAR(across / kBlocks, 0, 0.008);
}
