// Which lines of several ranks are told.
#include "Ranks.h"

#include <gtest/gtest.h>

using namespace mpc::run;

TEST(RankLines, TellWhatRanksSayAlikeOnce) {
  RankLines lines(3);
  EXPECT_TRUE(lines.isNew(1, "rank 1 of 3: it was aborted"));
  EXPECT_FALSE(lines.isNew(0, "rank 0 of 3: it was aborted"));
  EXPECT_TRUE(lines.isNew(2, "rank 2 of 3: it was killed"));
}

/// One rank may say something again, and means it.
TEST(RankLines, TellWhatARankSaysAgain) {
  RankLines lines(2);
  EXPECT_TRUE(lines.isNew(0, "warning: skipped"));
  EXPECT_TRUE(lines.isNew(0, "warning: skipped"));
  EXPECT_FALSE(lines.isNew(1, "warning: skipped"));
  EXPECT_FALSE(lines.isNew(1, "warning: skipped"));
  EXPECT_TRUE(lines.isNew(1, "warning: skipped"));
  EXPECT_FALSE(lines.isNew(0, "warning: skipped"));
}

TEST(RankLines, ForgetOldOnes) {
  RankLines lines(2);
  EXPECT_TRUE(lines.isNew(0, "old"));
  for (size_t i = 0; i < RankLines::kMost; ++i)
    EXPECT_TRUE(lines.isNew(0, std::to_string(i)));
  EXPECT_TRUE(lines.isNew(1, "old"));
  EXPECT_FALSE(lines.isNew(1, std::to_string(RankLines::kMost - 1)));
}
