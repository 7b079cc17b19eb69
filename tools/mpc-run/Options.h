// The options of the commands: tables of mpc/CommandLine/Command.h.
#ifndef MPC_TOOLS_MPC_RUN_OPTIONS_H
#define MPC_TOOLS_MPC_RUN_OPTIONS_H

#include "mpc/CommandLine/Command.h"

namespace mpc::run {

using Options = cli::Command;
using Arguments = std::vector<std::string>;

/// Reads `arguments` and returns the file argument, or nothing if the help was
/// asked for (and printed). Errors are usage failures of the command.
std::optional<std::string> readArguments(Options &options,
                                         const Arguments &arguments);

/// The table of the command whose options are the members of `Values`.
template <typename Values> cli::CommandInfo describe() {
  Values values;
  Options options = Values::command();
  values.declare(options);
  return options.information();
}

/// Reads the options of a command into `values`.
template <typename Values>
std::optional<std::string> readInto(Values &values,
                                    const Arguments &arguments) {
  Options options = Values::command();
  values.declare(options);
  return readArguments(options, arguments);
}

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_OPTIONS_H
