// The command line of mpc-compile: the options of a compilation, and the files.
#ifndef MPC_TOOLS_MPC_COMPILE_OPTIONS_H
#define MPC_TOOLS_MPC_COMPILE_OPTIONS_H

#include "mpc/Compile/Options.h"

namespace mpc::compile {

struct CommandLine {
  std::string model, output;
  Options options;
  bool help = false; ///< Print the help, and nothing else.
};

/// Everything that mpc-compile takes.
cli::ToolInfo describeTool();

/// Reads the arguments after the program's name. A failure says what is wrong
/// with which argument, and names the nearest option.
Result<CommandLine> parseCommandLine(const std::vector<std::string> &arguments);

} // namespace mpc::compile

#endif // MPC_TOOLS_MPC_COMPILE_OPTIONS_H
