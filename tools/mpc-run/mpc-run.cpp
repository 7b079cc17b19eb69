// Trains, evaluates and describes compiled models.
#include "Commands.h"
#include "Options.h"

#include "mpc-c/Runtime.h"

#include <cstdio>
#include <new>

using namespace mpc::run;

namespace {

struct Command {
  const char *name, *summary;
  Exit (*run)(const Arguments &);
};

constexpr Command kCommands[] = {
    {"train", "train a model on data from files", runTrain},
    {"eval", "run a trained model on data from files", runEval},
    {"profile", "write in which range the values of a model lie", runProfile},
    {"info", "say what a program file holds", runInfo},
    {"plot", "draw metrics of a training run as SVG", runPlot},
};

void printHelp() {
  std::printf("usage: mpc-run COMMAND [arguments]\n\ncommands:\n");
  for (const Command &command : kCommands)
    std::printf("  %-10s%s\n", command.name, command.summary);
  std::printf("\nmpc-run COMMAND --help tells more; --version prints the "
              "version\n\n"
              "exit codes: 0 success, 1 the runtime or the system failed, 2 "
              "wrong use,\n"
              "  3 a program, data or weights file is not as expected,\n"
              "  4 training stopped itself: it did not get on (its weights are "
              "saved),\n"
              "  130 interrupted (after saving, if --save was given)\n");
}

Exit dispatch(const Arguments &arguments) {
  if (arguments.empty())
    throw usageError("expected a command (mpc-run --help lists them)");
  const std::string &name = arguments.front();
  if (name == "--help") {
    printHelp();
    return Exit::Ok;
  }
  if (name == "--version") {
    std::printf("mpc-run %s\n", mpc_get_api(MPC_API_VERSION)->library_version);
    return Exit::Ok;
  }
  std::vector<std::string> names = {"--help", "--version"};
  for (const Command &command : kCommands) {
    if (command.name == name)
      return command.run({arguments.begin() + 1, arguments.end()});
    names.push_back(command.name);
  }
  throw usageError("unknown command '" + name + "'" + suggest(name, names) +
                   " (mpc-run --help lists all)");
}

Exit report(Exit code, const char *message) {
  std::fflush(stdout);
  std::fprintf(stderr, "mpc-run: error: %s\n", message);
  return code;
}

} // namespace

int main(int argc, char **argv) {
  Exit code = Exit::Ok;
  try {
    code = dispatch({argv + 1, argv + argc});
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      code = report(Exit::Failed, "standard output cannot be written");
  } catch (const Failure &failure) {
    code = report(failure.code, failure.what());
  } catch (const std::bad_alloc &) {
    code = report(Exit::Failed, "out of memory");
  }
  return static_cast<int>(code);
}
