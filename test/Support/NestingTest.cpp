#include "mpc/Support/Nesting.h"

#include <gtest/gtest.h>
#include <string>

using namespace mpc;

static std::optional<size_t> find(std::string_view text,
                                  BracketSyntax syntax = BracketSyntax::Mlir) {
  return findTooDeepBracket(text, syntax, 2);
}

TEST(Nesting, CountsWhatIsOpen) {
  EXPECT_EQ(find(""), std::nullopt);
  EXPECT_EQ(find("(){}[]<>(){}"), std::nullopt);
  EXPECT_EQ(find("([]{}[()])"), 6u);
  EXPECT_EQ(find("([<"), 2u);
  EXPECT_EQ(find("}}}(("), std::nullopt); // the parser complains first
  EXPECT_EQ(find("}}}((("), 5u);
}

TEST(Nesting, LeavesStringsAndCommentsOut) {
  EXPECT_EQ(find(R"("(((" ((  "\"(((" "\\" "(")"), std::nullopt);
  EXPECT_EQ(find(R"((( "\\"( )"), 7u);
  EXPECT_EQ(find("(( // ((((\n"), std::nullopt);
  EXPECT_EQ(find("(( // ((((\n("), 11u);
  EXPECT_EQ(find("(( // the end"), std::nullopt);
  EXPECT_EQ(find("((\"("), std::nullopt); // never closed
  EXPECT_EQ(find("((\"\\"), std::nullopt);
}

TEST(Nesting, ArrowsAndComparisonsAreNoBrackets) {
  EXPECT_EQ(find("<<-> >= <= <"), 11u);
  EXPECT_EQ(find("<< a <= b"), std::nullopt);
}

TEST(Nesting, JsonHasTwoKindsAndNoComments) {
  EXPECT_EQ(find("(((<<<", BracketSyntax::Json), std::nullopt);
  EXPECT_EQ(find("[{[", BracketSyntax::Json), 2u);
  EXPECT_EQ(find("[{\"//\":[", BracketSyntax::Json), 7u);
  EXPECT_EQ(find("[{//[", BracketSyntax::Json), 4u);
}
