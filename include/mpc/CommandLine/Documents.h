// Texts that are written from the tables: what a tool prints about itself, and
// what is installed beside it.
#ifndef MPC_COMMANDLINE_DOCUMENTS_H
#define MPC_COMMANDLINE_DOCUMENTS_H

#include "mpc/CommandLine/Tables.h"
#include "mpc/Support/Status.h"
#include <optional>

namespace mpc::cli {

/// The text of `mpc-run train --help`.
std::string helpText(const CommandInfo &command);
/// The text of `mpc-run --help`: the commands, or those of the only one, and
/// the exit codes.
std::string helpText(const ToolInfo &tool);
/// A manual page for man(1), in the macros of man(7).
std::string manPage(const ToolInfo &tool);
/// A script for bash: completes commands, options, their words and files.
std::string bashCompletion(const ToolInfo &tool);

/// What the tool prints about itself when `arguments` ask for that alone: -h,
/// --help, --help=man, --help=bash, --version, help or help COMMAND. Nothing
/// when they are to be parsed; an error for a wrong question.
std::optional<Result<std::string>>
answer(const ToolInfo &tool, const std::vector<std::string> &arguments);

} // namespace mpc::cli

#endif // MPC_COMMANDLINE_DOCUMENTS_H
