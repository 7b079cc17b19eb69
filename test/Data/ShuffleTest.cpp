// Expected orders come from an independent program in Python that follows the
// formulas in the header; its generator gives splitmix64's known first number
// for seed 0, 0xe220a8397b1dcdaf.
#include "mpc/Data/Shuffle.h"

#include <algorithm>
#include <gtest/gtest.h>

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
