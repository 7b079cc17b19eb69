// What checkpoints say of parameter groups.
#include "mpc/Program/ParameterGroups.h"

#include <gtest/gtest.h>

using namespace mpc::program;

TEST(ParameterGroups, OneLineForEachPattern) {
  std::string groups;
  addGroup(groups, "lr", "0.1");
  addGroup(groups, "slow.pattern", "w|b");
  addGroup(groups, "slow.lr", "0.01");
  addGroup(groups, "a.b.pattern", ".*\\.pattern");
  addGroup(groups, "pattern", "not of a group");
  addGroup(groups, "slowpattern", "nor this");
  EXPECT_EQ(groups, "slow=w|b\na.b=.*\\.pattern");
}

TEST(ParameterGroups, ThoseOfAProgramMustBeTheSame) {
  EXPECT_TRUE(takesGroups("g=w", "g=w"));
  EXPECT_TRUE(takesGroups("", "g=w"));
  EXPECT_FALSE(takesGroups("g=w", "g=b"));
  EXPECT_FALSE(takesGroups("g=w", "g=w\nh=b"));
  EXPECT_FALSE(takesGroups("g=w", ""));
}

TEST(ParameterGroups, OthersAreSaidInOneLine) {
  EXPECT_EQ(describeOtherGroups("a.st", "g=w\nh=b", "g=\x1b[31m"),
            "'a.st': its parameter groups have other patterns than those of "
            "the program: expected g=w h=b, but got g=?[31m");
}
