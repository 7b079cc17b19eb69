// Patterns of whole names, and those that would not end.
#include "mpc/Support/Text/NamePattern.h"

#include <gtest/gtest.h>

using namespace mpc;

static bool matches(const std::string &pattern, const std::string &name) {
  Result<NamePattern> made = NamePattern::parse(pattern);
  EXPECT_TRUE(made) << pattern;
  return made && made->matches(name);
}

static std::string mistakeOf(const std::string &pattern) {
  Result<NamePattern> made = NamePattern::parse(pattern);
  return made ? "" : made.status().message();
}

TEST(NamePattern, MatchesWholeNames) {
  EXPECT_TRUE(matches("w|b", "w"));
  EXPECT_TRUE(matches("w|b", "b"));
  EXPECT_FALSE(matches("w|b", "wb"));
  EXPECT_FALSE(matches("w", "w2"));
  EXPECT_FALSE(matches("w", "2w"));
  EXPECT_FALSE(matches("w", "w\n"));
  EXPECT_FALSE(matches("w", std::string("w\0x", 3)));
  EXPECT_TRUE(matches("layer[0-9]{1,2}\\.w", "layer12.w"));
  EXPECT_FALSE(matches("layer[0-9]{1,2}\\.w", "layer123.w"));
}

TEST(NamePattern, EndsWhereOthersGoBack) {
  EXPECT_FALSE(matches("(a*)*b", std::string(4000, 'a')));
  EXPECT_FALSE(matches("(a|aa)+b", std::string(4000, 'a')));
  EXPECT_TRUE(matches("(a*)*b", std::string(4000, 'a') + "b"));
}

TEST(NamePattern, RefusesMistakes) {
  EXPECT_NE(mistakeOf("("), "");
  EXPECT_NE(mistakeOf("a)(b"), "");
  EXPECT_NE(mistakeOf("["), "");
  EXPECT_EQ(mistakeOf("((a{1,200}){1,200}){1,200}"),
            "it is too large, or nested too deeply");
  EXPECT_EQ(mistakeOf(std::string(70, '(') + std::string(70, ')')),
            "it is too large, or nested too deeply");
  EXPECT_EQ(mistakeOf("(a*)\\1"),
            "it refers back to a group, which may take for ever");
  EXPECT_EQ(mistakeOf(std::string("a\0b", 3)), "it has a zero byte");
}
