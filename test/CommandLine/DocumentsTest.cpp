// Texts written from a table: nothing of it is lost, and what has a meaning to
// man(1) or bash is not taken for it.
#include "mpc/CommandLine/Documents.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::cli;

namespace {

ToolInfo makeTool() {
  ToolInfo tool;
  tool.name = "my-tool";
  tool.version = "1.2";
  tool.summary = "does things";
  CommandInfo run;
  run.tool = "my-tool";
  run.name = "run";
  run.summary = "run it";
  run.details = "First.\n\n.TH is no request here, nor is \\n an escape.";
  run.argument = "MODEL";
  run.options = {{"-o", "FILE", "where to", "Output", {}, false, true},
                 {"--into", "FOLDER", "where else", "Output", {}},
                 {"--kind", "a|b", "which", "Choices", {"a", "b"}},
                 {"--dry", "", "do nothing", "Choices", {}},
                 {"--pair", "NAME=FILE", "pairs", "Choices", {}, true}};
  CommandInfo stop = run;
  stop.name = "stop";
  stop.summary = "stop it";
  stop.argument.clear();
  stop.options.resize(1);
  tool.commands = {run, stop};
  tool.exitCodes = {{"0", "good"}, {"2", "bad"}};
  return tool;
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(Help, ShowsGroupsMetavarsAndRequiredOptions) {
  std::string text = helpText(makeTool().commands[0]);
  EXPECT_TRUE(text.starts_with("usage: my-tool run MODEL -o FILE [options]\n"));
  size_t output = text.find("\nOutput:\n  -o FILE");
  size_t choices = text.find("\nChoices:\n  --kind a|b");
  EXPECT_LT(output, choices);
  EXPECT_LT(choices, text.size());
  EXPECT_TRUE(contains(text, "where to (required)\n"));
  EXPECT_TRUE(contains(text, "\n\n.TH is no"));
  EXPECT_TRUE(contains(text, "-h, --help"));
  // One without a file.
  EXPECT_TRUE(helpText(makeTool().commands[1])
                  .starts_with("usage: my-tool stop -o FILE [options]\n"));
}

TEST(Help, StaysWithinItsWidth) {
  ToolInfo tool = makeTool();
  tool.commands[0].options[3].help = std::string(40, 'x');
  for (int i = 0; i < 60; ++i)
    tool.commands[0].options[3].help += " word";
  std::string text = helpText(tool.commands[0]);
  for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    EXPECT_LE(end - begin, 90u) << text.substr(begin, end - begin);
    EXPECT_TRUE(end == begin || text[end - 1] != ' ');
  }
}

TEST(ManPage, HoldsEverything) {
  ToolInfo tool = makeTool();
  std::string page = manPage(tool);
  EXPECT_TRUE(page.starts_with(".TH MY\\-TOOL 1"));
  for (const CommandInfo &command : tool.commands)
    EXPECT_TRUE(contains(page, "\\fBmy\\-tool " + command.name + "\\fR"));
  for (const char *name :
       {"\\fB\\-o\\fR \\fIFILE\\fR", "\\fB\\-\\-kind\\fR",
        "\\fB\\-\\-dry\\fR\n", "(may be given more than once)"})
    EXPECT_TRUE(contains(page, name)) << name;
  EXPECT_TRUE(contains(page, ".SH EXIT STATUS\n.TP\n\\fB0\\fR\ngood\n"));
}

TEST(ManPage, EscapesWhatMeansSomethingToRoff) {
  std::string page = manPage(makeTool());
  EXPECT_TRUE(contains(page, "\n\\&.TH is no request here, nor is \\en an"));
}

TEST(Tool, HasOptionsInFrontOfItsCommands) {
  ToolInfo tool = makeTool();
  tool.options = {{"--safely", "", "with care", "", {}}};
  std::string help = helpText(tool);
  EXPECT_TRUE(help.starts_with("usage: my-tool [--safely] COMMAND"));
  EXPECT_TRUE(contains(help, "\n  --safely                    with care\n"));
  EXPECT_TRUE(contains(manPage(tool), "\n\\fB\\-\\-safely\\fR\nwith care\n"));
  EXPECT_TRUE(
      contains(bashCompletion(tool), "options=\"--safely --help --version\""));
}

TEST(Answers, ToQuestionsAboutTheTool) {
  ToolInfo tool = makeTool();
  auto text = [&](std::vector<std::string> words) -> std::string {
    auto answered = answer(tool, words);
    if (!answered)
      return "none";
    return *answered ? **answered : "error: " + answered->status().message();
  };
  EXPECT_EQ(text({"--version"}), "my-tool 1.2\n");
  EXPECT_EQ(text({"-h"}), helpText(tool));
  EXPECT_EQ(text({"--help"}), helpText(tool));
  EXPECT_EQ(text({"help"}), helpText(tool));
  EXPECT_EQ(text({"help", "run"}), helpText(tool.commands[0]));
  EXPECT_EQ(text({"--help", "stop"}), helpText(tool.commands[1]));
  EXPECT_EQ(text({"--help=man"}), manPage(tool));
  EXPECT_EQ(text({"--help", "bash"}), bashCompletion(tool));
  EXPECT_EQ(text({"--help=html"}), "error: --help=html: expected man or bash");
  EXPECT_EQ(text({"help", "sotp"}),
            "error: unknown command 'sotp', did you mean 'stop'? (my-tool "
            "--help lists all)");
  EXPECT_EQ(text({"run", "--help"}), "none");
  EXPECT_EQ(text({}), "none");
}

TEST(Answers, LeaveFilesOfToolsWithoutCommandsAlone) {
  ToolInfo tool = makeTool();
  tool.commands.resize(1);
  tool.commands[0].name.clear();
  EXPECT_FALSE(answer(tool, {"help", "m.mlir"}));
  EXPECT_FALSE(answer(tool, {"m.mlir"}));
  EXPECT_TRUE(answer(tool, {"help"}));
}

} // namespace
