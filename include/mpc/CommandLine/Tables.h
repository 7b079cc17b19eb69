// What a tool accepts, as plain data: help, manual page and completion are
// written from it (Documents.h), and Command.h reads command lines by it.
#ifndef MPC_COMMANDLINE_TABLES_H
#define MPC_COMMANDLINE_TABLES_H

#include <string>
#include <utility>
#include <vector>

namespace mpc::cli {

struct OptionInfo {
  std::string name; ///< "--lr", or "-o".
  /// What stands for the value in the help: "N", "NAME=FILE"; empty for flags.
  /// One that ends in FILE or FOLDER is completed with their names.
  std::string metavar;
  std::string help;
  /// The heading that it stands under.
  std::string group;
  /// Values there are, for completion; empty if anything may be one.
  std::vector<std::string> words;
  bool isRepeatable = false, isRequired = false;

  bool isFlag() const { return metavar.empty(); }
};

/// `mpc-run train`, or all of a tool that has no commands.
struct CommandInfo {
  std::string tool, name; ///< "mpc-run" and "train"; `name` may be empty.
  std::string summary;    ///< A line: what it does.
  std::string details;    ///< Paragraphs, without breaks inside.
  std::string argument;   ///< The one file argument: "MODEL.mpcx"; "": none.
  /// How the names of files end that it may be, for completion: ".mpcx"; none:
  /// as they like.
  std::vector<std::string> endings;
  std::vector<OptionInfo> options; ///< Those of a group together.

  /// "mpc-run train".
  std::string fullName() const {
    return name.empty() ? tool : tool + " " + name;
  }
};

/// A word or number and what it means.
using Meaning = std::pair<std::string, std::string>;

struct ToolInfo {
  std::string name, version;
  std::string summary;               ///< A line: what it does.
  std::vector<OptionInfo> options;   ///< Flags in front of a command.
  std::vector<CommandInfo> commands; ///< One without a name, or several.
  std::vector<Meaning> exitCodes, environment;
  std::vector<Meaning> examples; ///< Command lines.

  bool hasCommands() const {
    return commands.size() != 1 || !commands[0].name.empty();
  }
};

} // namespace mpc::cli

#endif // MPC_COMMANDLINE_TABLES_H
