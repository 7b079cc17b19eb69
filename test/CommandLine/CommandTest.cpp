// Command lines, right and wrong, read by one table that has an option of each
// kind.
#include "Example.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::cli;
using mpc::cli::testing::Example;
using Words = std::vector<std::string>;

namespace {

std::string errorOf(const Words &words) { return Example().parse(words); }

TEST(Command, ReadsEveryKind) {
  Example example;
  Result<Request> request = example.command.parse(
      {"--flag", "--text", "a b", "-o", "out", "m.mlir", "--count=7", "--real",
       "-1e-3", "--word=two", "--pair", "x=1", "--pair=y=2=3", "--rate=.5"});
  ASSERT_TRUE(request) << request.status().message();
  EXPECT_FALSE(request->help);
  EXPECT_EQ(request->argument, "m.mlir");
  EXPECT_TRUE(example.flag);
  EXPECT_FALSE(example.other);
  EXPECT_EQ(example.text, "a b");
  EXPECT_EQ(example.output, "out");
  EXPECT_EQ(example.count, 7u);
  EXPECT_EQ(example.bounded, std::nullopt);
  EXPECT_EQ(example.real, -1e-3);
  EXPECT_EQ(example.rate, .5);
  EXPECT_EQ(example.word, "two");
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(example.pairs, (std::vector<Pair>{{"x", "1"}, {"y", "2=3"}}));
  EXPECT_EQ(example.command.typed("--count"), "--count=7");
  EXPECT_EQ(example.command.typed("--real"), "--real -1e-3");
  EXPECT_EQ(example.command.typed("--bounded"), "");
}

TEST(Command, ReadsShortOptions) {
  for (Words words : {Words{"-oout", "m"}, Words{"-o=out", "m"},
                      Words{"m", "-o", "out"}, Words{"-vo", "out", "m"}}) {
    Example example;
    EXPECT_EQ(example.parse(words), "");
    EXPECT_EQ(example.output, "out");
    EXPECT_EQ(example.other, words[0] == "-vo");
  }
}

TEST(Command, TakesFilesThatLookLikeOptions) {
  Example example;
  Result<Request> request = example.command.parse({"--flag", "--", "--help"});
  ASSERT_TRUE(request);
  EXPECT_FALSE(request->help);
  EXPECT_EQ(request->argument, "--help");
  request = Example().command.parse({"-"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->argument, "-");
}

TEST(Command, GivesHelpWhateverElseIsThere) {
  for (Words words : {Words{"--help"}, Words{"-h"}, Words{"--count=x", "-h"},
                      Words{"m", "--unknown", "--help"}}) {
    Result<Request> request = Example().command.parse(words);
    ASSERT_TRUE(request);
    EXPECT_TRUE(request->help);
  }
}

TEST(Command, NamesTheOptionAsTyped) {
  EXPECT_EQ(errorOf({"m", "--count=1e3"}),
            "--count=1e3: expected a whole number");
  EXPECT_EQ(errorOf({"m", "--count", "-1"}),
            "--count -1: expected a whole number");
  EXPECT_EQ(errorOf({"m", "--rate=1e"}), "--rate=1e: expected a number");
  EXPECT_EQ(errorOf({"m", "--rate", "0x1p-3"}),
            "--rate 0x1p-3: expected a number");
  EXPECT_EQ(errorOf({"m", "--rate=inf"}), "--rate=inf: expected a number");
  EXPECT_EQ(errorOf({"m", "--rate=0"}), "--rate=0: expected a number above 0");
  EXPECT_EQ(errorOf({"m", "--bounded=0"}), "--bounded=0: expected 1 to 9");
  EXPECT_EQ(errorOf({"m", "--bounded=10"}), "--bounded=10: expected 1 to 9");
  EXPECT_EQ(errorOf({"m", "--word=three"}),
            "--word=three: expected one or two");
  EXPECT_EQ(errorOf({"m", "--pair=x"}), "--pair=x: expected NAME=FILE");
  EXPECT_EQ(errorOf({"m", "--pair", "=x"}), "--pair =x: expected NAME=FILE");
}

TEST(Command, RefusesWhatIsForgotten) {
  EXPECT_EQ(errorOf({}), "expected MODEL (tool run --help tells more)");
  for (Words words : {Words{"m", "--count"}, Words{"m", "--count="},
                      Words{"m", "--count", ""}, Words{"--count", "-o", "x"},
                      Words{"--count", "--flag", "m"}})
    EXPECT_EQ(errorOf(words), "expected a value for '--count', but got none");
  EXPECT_EQ(errorOf({"m", "-o"}), "expected a value for '-o', but got none");
  Example example;
  example.command.addText("--must", "FILE", "", example.text).required();
  EXPECT_EQ(example.parse({"m"}),
            "expected '--must FILE' (tool run --help tells more)");
}

TEST(Command, RefusesWhatIsTooMuch) {
  EXPECT_EQ(errorOf({"a", "b"}), "expected one MODEL, but got 'a' and 'b'");
  EXPECT_EQ(errorOf({"m", "--count=1", "--count=1"}),
            "option '--count' is given twice");
  EXPECT_EQ(errorOf({"m", "--flag", "--flag"}),
            "option '--flag' is given twice");
  EXPECT_EQ(errorOf({"m", "--flag=yes"}),
            "expected no value for '--flag', but got one");
}

TEST(Command, TakesNoFileWhereThereIsNone) {
  bool flag = false;
  Command command("tool", "look", "looks", "");
  command.addFlag("--flag", "a flag", flag);
  Result<Request> request = command.parse({"--flag"});
  ASSERT_TRUE(request) << request.status().message();
  EXPECT_TRUE(flag);
  EXPECT_EQ(request->argument, "");
  EXPECT_EQ(command.parse({"m"}).status().message(),
            "expected options alone, but got 'm'");
}

TEST(Command, RefusesUnknownOptions) {
  EXPECT_EQ(
      errorOf({"m", "--cuont=3"}),
      "unknown option '--cuont', did you mean '--count'? (tool run --help "
      "lists all)");
  EXPECT_EQ(errorOf({"m", "--coun", "3"}),
            "unknown option '--coun', did you mean '--count'? (tool run --help "
            "lists all)");
  EXPECT_EQ(errorOf({"m", "--something-else"}),
            "unknown option '--something-else' (tool run --help lists all)");
  EXPECT_EQ(errorOf({"m", "-q"}).substr(0, 19), "unknown option '-q'");
  // What the parser beneath calls the file.
  EXPECT_EQ(errorOf({"m", "--file argument"}),
            "unknown option '--file argument' (tool run --help lists all)");
  EXPECT_EQ(errorOf({"m", "--file=argument"}).substr(0, 23),
            "unknown option '--file'");
}

TEST(Command, ChecksOptionsTogether) {
  EXPECT_EQ(errorOf({"m", "--real=1"}), "'--real' needs '--count'");
  EXPECT_EQ(errorOf({"m", "-v", "--text=a"}),
            "expected '--text' or '-v', but got both");
  auto parse = [](const Words &words) {
    Example example;
    bool either = false;
    example.command.addFlag("--either", "", either)
        .needsOneOf({"--text", "--flag"});
    return example.parse(words);
  };
  EXPECT_EQ(parse({"m", "--either"}), "'--either' needs '--text' or '--flag'");
  EXPECT_EQ(parse({"m", "--either", "--flag"}), "");
}

} // namespace
