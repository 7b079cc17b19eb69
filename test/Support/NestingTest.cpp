#include "mpc/Support/Text/Nesting.h"

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

TEST(Nesting, AliasesOfAliases) {
  auto find = [](std::string_view text) { return findTooDeepAlias(text, 2); };
  EXPECT_EQ(find("#a = 1\n#b = [#a]\n#c = [#b]\n"), 17u);
  EXPECT_EQ(find("!a = i32\n!b = tuple<!a>\n!c\n =\n tuple<!b>"), 24u);
  // Beside each other, redefined, of a dialect, in strings and comments.
  EXPECT_EQ(find("#a = 1\n#b = [#a, #a]\n#c = [#a]\n f(#a)"), std::nullopt);
  EXPECT_EQ(find("#a = 1\n#b = [#a]\n#b = 1\n#c = [#b]"), std::nullopt);
  EXPECT_EQ(find("#a = 1\n#b = #x.a<#a>\n#c = #x.b<2>"), std::nullopt);
  EXPECT_EQ(find("#a = 1\n#b = [#a]\n#c = \"#b\" // #b\n"), std::nullopt);
  // What follows the last definition uses it often; that is not nested.
  EXPECT_EQ(find("#a = 1\n f(#a) g(#a) h(#a) #a == #a"), std::nullopt);
}

TEST(Nesting, LongAffineMaps) {
  auto find = [](std::string_view text) { return findTooLongAffine(text, 30); };
  EXPECT_EQ(find("x affine_map<(d0) -> (d0)> y"), std::nullopt);
  EXPECT_EQ(find("x affine_map<(d0) -> (- - - - - d0)>"), 2u);
  EXPECT_EQ(find("x affine_set <(d0) : (d0 + d0 + d0 == 0)>"), 2u);
  EXPECT_EQ(find("my_affine_map and then a lot of other text"), std::nullopt);
  EXPECT_EQ(find("\"affine_map and then a lot of other text\""), std::nullopt);
}

TEST(Nesting, NumbersOfResults) {
  auto find = findTooLargeResultNumber;
  EXPECT_EQ(find("%a:3 = f()\n g(%a#2, %a#0)"), std::nullopt);
  EXPECT_EQ(find("g(%a#4096)"), std::nullopt);
  EXPECT_EQ(find("g(%a#1, %a#4097)"), 8u);
  EXPECT_EQ(find("g(%a#99999999999999999999999)"), 2u); // more than 64 bits
  // Each name has room of its own; numbers below its largest need none.
  EXPECT_EQ(find("g(%a#4000, %b#97)"), 11u);
  EXPECT_EQ(find("g(%a#4000, %a#97, %a#4000)"), std::nullopt);
  // In strings, in comments, of aliases.
  EXPECT_EQ(find("\"%a#9999\" // %a#9999\n %a #9999"), std::nullopt);
  // A text that is long enough to define them may.
  std::string text = "%a:5001 = f()";
  for (int i = 0; i <= 5000; ++i)
    text += ", i1";
  EXPECT_EQ(find(text + "\n g(%a#5000)"), std::nullopt);
}
