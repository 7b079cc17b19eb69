// mpc-run profile: its command line, and what it prints.
#include "Commands.h"
#include "Failure.h"
#include "Interrupt.h"
#include "Print.h"
#include "SharedOptions.h"

#include "mpc/Train/Profile.h"

#include <cstdio>

using namespace mpc;
using namespace mpc::run;

namespace {

struct ProfileCommand {
  train::ProfileOptions options;
  std::string compiler;

  static Options command();
  void declare(Options &table);
};

struct SignalWatcher : train::Observer {
  void onGuarded() override { watchInterrupts(); }
};

} // namespace

Options ProfileCommand::command() {
  return {"mpc-run", "profile",
          "write in which range the values of a model lie", "MODEL.mpcx"};
}

void ProfileCommand::declare(Options &table) {
  table.setDetails("Trains for some steps, or runs a model that has none, "
                   "and writes in which range each value lies: what "
                   "mpc-compile --precision-profile reads.");
  declareFiles(options.data, table);
  declareAugmentations(options.data, table);
  table.beginGroup("Profile");
  table.addText("-o", "FILE", "the profile to write, JSON", options.output)
      .required();
  table.addCount("--steps", "N", "how many batches (16)", options.steps)
      .atLeast(1);
  table.addCount("--seed", "S", "of initial values and shuffling (0)",
                 options.seed);
  table
      .addText("--weights", "FILE", "begin with these parameters",
               options.weights)
      .excludes("--resume");
  table.addText("--resume", "FOLDER|FILE",
                "begin with the state of this --save or --save-dir",
                options.resume);
  table.addText("--compiler", "FILE",
                "the mpc-compile to use; found beside mpc-run or on the PATH",
                compiler);
  declareDevice(options.device, table);
}

cli::CommandInfo mpc::run::describeProfile() {
  return describe<ProfileCommand>();
}

Exit mpc::run::runProfile(const Arguments &arguments) {
  ProfileCommand command;
  std::optional<std::string> model = readInto(command, arguments);
  if (!model)
    return Exit::Ok;
  command.options.program = programFile(*model);
  command.options.compiler = compilerOptions(command.compiler);
  command.options.stop = &stopFlag();
  SignalWatcher watcher;
  train::Profile found = require(train::profile(command.options, watcher));
  print("%llu values over %llu steps; the worst of them:\n",
        static_cast<unsigned long long>(found.values),
        static_cast<unsigned long long>(found.steps));
  printLines(stdout, found.worst);
  return Exit::Ok;
}
