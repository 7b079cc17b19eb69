// Which lines of several ranks are told.
#include "Ranks/Ranks.h"

#include <gtest/gtest.h>

using namespace mpc::run;

TEST(RankLines, TellWhatRanksSayAlikeOnce) {
  RankLines lines(3);
  EXPECT_TRUE(lines.isNew(1, "rank 1 of 3: it was aborted"));
  EXPECT_FALSE(lines.isNew(0, "rank 0 of 3: it was aborted"));
  EXPECT_TRUE(lines.isNew(2, "rank 2 of 3: it was killed"));
}

/// Of one fault, whoever is read first.
TEST(RankLines, TellOfAFaultOnce) {
  RankLines lines(3);
  EXPECT_TRUE(lines.isNew(
      1, "mpc-run: error: rank 1 of 3: barrier, after 0.005 s: it was "
         "aborted; rank 0: 'x': cannot be written; the disk is full"));
  EXPECT_FALSE(lines.isNew(0, "mpc-run: error: rank 0 of 3: 'x': cannot be "
                              "written; the disk is full"));
  EXPECT_TRUE(lines.isNew(2, "mpc-run: error: rank 2 of 3: other words"));
  RankLines killed(3);
  EXPECT_TRUE(killed.isNew(0, "mpc-run: error: rank 0 of 3: after 0.1 s: "
                              "Connection closed by peer, with rank 2; rank "
                              "2: its connection broke"));
  EXPECT_FALSE(killed.isNew(1, "mpc-run: error: rank 1 of 3: after 0.2 s: it "
                               "was aborted; rank 2: its connection broke"));
  RankLines silent(3);
  EXPECT_TRUE(silent.isNew(0, "mpc-run: error: rank 0 of 3: timed out; rank 1 "
                              "does not answer"));
  EXPECT_FALSE(silent.isNew(2, "mpc-run: error: rank 2 of 3: late; rank 1 "
                               "does not answer"));
}

/// Of a disk that is full for all who write to it, each its own file.
TEST(RankLines, TellOfADiskOnce) {
  RankLines lines(3);
  const std::string full = ".safetensors': cannot be written";
  EXPECT_TRUE(lines.isNew(2, "mpc-run: error: rank 2 of 3: not saved at step "
                             "30: 'ck/rank-2-of-3" +
                                 full));
  EXPECT_FALSE(lines.isNew(0, "mpc-run: error: rank 0 of 3: not saved at step "
                              "30: 'ck/rank-0-of-3" +
                                  full));
  EXPECT_FALSE(lines.isNew(1, "mpc-run: error: rank 1 of 3: the checkpoint of "
                              "step 30 is not whole; rank 2: not saved at step "
                              "30: 'ck/rank-2-of-3" +
                                  full));
  EXPECT_TRUE(lines.isNew(1, "mpc-run: error: rank 1 of 3: not saved at step "
                             "30: 'ck/rank-1-of-4" +
                                 full));
}

/// What a rank hears from another one.
TEST(RankLines, TellOfWordsOnce) {
  RankLines lines(2);
  EXPECT_TRUE(lines.isNew(1, "mpc-run: error: rank 1 of 2: rank 0: no 'kb'"));
  EXPECT_FALSE(lines.isNew(0, "mpc-run: error: rank 0 of 2: no 'kb'"));
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
