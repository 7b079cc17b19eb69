// Expected orders come from an independent program in Python that follows the
// formulas in the header; its generator gives splitmix64's known first number
// for seed 0, 0xe220a8397b1dcdaf.
#include "mpc/Data/Shuffle.h"

#include <algorithm>
#include <gtest/gtest.h>

using mpc::data::randomPlaces;
using mpc::data::shuffledOrder;
using Order = std::vector<uint64_t>;

TEST(Shuffle, FollowsTheDocumentedFormula) {
  EXPECT_EQ(shuffledOrder(10, 0, 0), (Order{4, 9, 2, 5, 1, 7, 6, 0, 3, 8}));
  EXPECT_EQ(shuffledOrder(10, 1, 0), (Order{5, 6, 1, 8, 7, 4, 3, 9, 0, 2}));
  EXPECT_EQ(shuffledOrder(10, 1, 1), (Order{7, 8, 1, 0, 4, 2, 9, 6, 5, 3}));
  EXPECT_EQ(shuffledOrder(10, UINT64_MAX, 7),
            (Order{4, 9, 5, 2, 1, 6, 7, 8, 3, 0}));
}

TEST(Shuffle, IsAPermutation) {
  for (uint64_t samples : {0, 1, 2, 1442}) {
    Order order = shuffledOrder(samples, 3, 5);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), samples);
    for (uint64_t i = 0; i < samples; ++i)
      EXPECT_EQ(order[i], i);
  }
}

TEST(Places, FollowTheDocumentedFormula) {
  EXPECT_EQ(randomPlaces(6, 1000, 0, 0), (Order{883, 431, 26, 970, 106, 327}));
  EXPECT_EQ(randomPlaces(6, 1000, 1, 3), (Order{391, 840, 954, 839, 830, 322}));
  EXPECT_EQ(randomPlaces(4, uint64_t(1) << 63, UINT64_MAX, 7),
            (Order{605969458305620785u, 3371975588679510066u,
                   4395997525205812933u, 5248433119537054139u}));
}

TEST(Places, AreUniform) {
  constexpr uint64_t kSamples = 100000, kPlaces = 7;
  uint64_t counts[kPlaces] = {};
  for (uint64_t place : randomPlaces(kSamples, kPlaces, 3, 5)) {
    ASSERT_LT(place, kPlaces);
    ++counts[place];
  }
  // Five standard deviations of the binomial distribution.
  for (uint64_t count : counts)
    EXPECT_NEAR(double(count), kSamples / 7.0, 5 * 110.7);
}
