// Trains, evaluates, applies and describes compiled models.
#include "Commands.h"
#include "Failure.h"
#include "SharedOptions.h"

#include "mpc-c/Runtime.h"
#include "mpc/CommandLine/Documents.h"
#include "mpc/CommandLine/Suggest.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

using namespace mpc;
using namespace mpc::run;

namespace {

struct Command {
  cli::CommandInfo (*describe)();
  Exit (*run)(const Arguments &);
};

constexpr Command kCommands[] = {
    {describeTrain, runTrain},     {describeEval, runEval},
    {describePredict, runPredict}, {describeSample, runSample},
    {describeProfile, runProfile}, {describeInfo, runInfo},
    {describePlot, runPlot},       {describeExport, runExport},
    {describeLink, runLink},
};

cli::ToolInfo describeTool() {
  cli::ToolInfo tool;
  tool.name = "mpc-run";
  tool.version = mpc_get_api(MPC_API_VERSION)->library_version;
  tool.summary = "trains, evaluates, applies and describes compiled models";
  tool.options = {{"--no-code",
                   "",
                   "load no native code of a program: info works as ever, and "
                   "what runs programs refuses those that bring some",
                   "",
                   {}}};
  for (const Command &command : kCommands)
    tool.commands.push_back(command.describe());
  tool.exitCodes = {
      {"0", "success"},
      {"1", "the runtime or the system failed"},
      {"2", "the command line is wrong"},
      {"3", "a program, data or weights file is not as expected"},
      {"4", "training stopped itself: it did not get on (its weights are "
            "saved)"},
      {"130", "interrupted (after saving, if --save was given)"}};
  tool.examples = {
      {"mpc-run train m.mpcx --input x=x.npy --epochs 10 --save m.safetensors",
       "Train for ten epochs, and save weights and all other state:"},
      {"mpc-run eval m.mpcx --input x=x.npy --weights m.safetensors",
       "Evaluate the result:"},
      {"mpc-run predict m.mpcx --input x=new.npy --weights m.safetensors "
       "--output y=y.npy",
       "Say something about new data:"}};
  return tool;
}

Exit dispatch(Arguments arguments) {
  if (!arguments.empty() && arguments.front() == "--no-code") {
    forbidCode();
    arguments.erase(arguments.begin());
  }
  if (arguments.empty())
    throw usageError("expected a command (mpc-run --help lists them)");
  cli::ToolInfo tool = describeTool();
  if (std::optional<Result<std::string>> text = cli::answer(tool, arguments)) {
    if (!*text)
      throw usageError(text->status().message());
    std::fputs((*text)->c_str(), stdout);
    return Exit::Ok;
  }
  if (std::count(arguments.begin(), arguments.end(), "--no-code") > 0)
    throw usageError("expected '--no-code' in front of the command: mpc-run "
                     "--no-code " +
                     arguments.front() + " ...");
  const std::string &name = arguments.front();
  std::vector<std::string> names = {"help", "--help", "--version", "--no-code"};
  for (size_t i = 0; i < std::size(kCommands); ++i) {
    if (tool.commands[i].name == name)
      return kCommands[i].run({arguments.begin() + 1, arguments.end()});
    names.push_back(tool.commands[i].name);
  }
  throw usageError("unknown command '" + name + "'" +
                   cli::suggest(name, names) + " (mpc-run --help lists all)");
}

} // namespace

int main(int argc, char **argv) {
  cli::holdStandardStreams();
  cli::ignoreFileSizeSignal();
  return static_cast<int>(guard([&] {
    Exit code = dispatch({argv + 1, argv + argc});
    bool isWritten = std::fflush(stdout) == 0 && !std::ferror(stdout);
    // A reader that went away is one way of being interrupted.
    if (!isWritten && code != Exit::Interrupted)
      throw noOutput();
    return code;
  }));
}
