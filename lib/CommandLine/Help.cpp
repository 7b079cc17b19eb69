// The text of --help.
#include "mpc/CommandLine/Documents.h"
#include "mpc/CommandLine/Suggest.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::cli;

static constexpr size_t kColumn = 30; ///< Where explanations begin.
static constexpr size_t kWidth = 90;  ///< Of a line.

/// Adds `text` word by word, with `indent` spaces in front of each line but the
/// first, which stands at column `at` already.
static void wrap(std::string &out, const std::string &text, size_t at,
                 size_t indent) {
  bool isFirst = true;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    size_t length = end - begin;
    bool isBroken = begin > 0 && text[begin - 1] == '\n';
    if (isBroken || (!isFirst && at + 1 + length > kWidth)) {
      out += "\n" + std::string(length ? indent : 0, ' ');
      at = indent;
    } else if (!isFirst) {
      out += ' ';
      ++at;
    }
    out += text.substr(begin, length);
    at += length;
    isFirst = false;
    begin = end + 1;
  }
  out += '\n';
}

static void addRow(std::string &out, const std::string &left,
                   const std::string &right, size_t column = kColumn) {
  std::string head = "  " + left;
  out += head;
  if (head.size() + 2 > column)
    out += "\n" + std::string(column, ' ');
  else
    out += std::string(column - head.size(), ' ');
  wrap(out, right, column, column);
}

static std::string usageLine(const CommandInfo &command) {
  std::string text = "usage: " + command.fullName();
  if (!command.argument.empty())
    text += " " + command.argument;
  for (const OptionInfo &option : command.options)
    if (option.isRequired)
      text += " " + option.name + " " + option.metavar;
  return text + " [options]\n\n";
}

static void addOptions(std::string &out, const CommandInfo &command) {
  std::string group;
  for (const OptionInfo &option : command.options) {
    if (option.group != group)
      out += "\n" + option.group + ":\n";
    group = option.group;
    std::string head = option.name;
    if (!option.isFlag())
      head += " " + option.metavar;
    std::string help = option.help;
    if (option.isRequired)
      help += " (required)";
    addRow(out, head, help);
  }
}

static void addMeanings(std::string &out, const std::string &title,
                        const std::vector<Meaning> &meanings) {
  if (meanings.empty())
    return;
  size_t column = 6;
  for (const Meaning &meaning : meanings)
    column = std::max(column, meaning.first.size() + 4);
  out += "\n" + title + ":\n";
  for (const Meaning &meaning : meanings)
    addRow(out, meaning.first, meaning.second, std::min(column, kColumn));
}

static std::string commandText(const CommandInfo &command) {
  std::string out = usageLine(command);
  std::string details = command.summary;
  if (!command.details.empty())
    details = command.details;
  wrap(out, details, 0, 0);
  addOptions(out, command);
  return out;
}

std::string cli::helpText(const CommandInfo &command) {
  std::string out = commandText(command);
  out += "\n";
  addRow(out, "-h, --help", "print this text");
  return out + "\nA value may follow its option after a space or '='.\n";
}

std::string cli::helpText(const ToolInfo &tool) {
  std::string out;
  if (tool.hasCommands()) {
    out = "usage: " + tool.name;
    for (const OptionInfo &option : tool.options)
      out += " [" + option.name + "]";
    out += " COMMAND [arguments]\n\n";
    wrap(out, tool.summary, 0, 0);
    out += "\ncommands:\n";
    for (const CommandInfo &command : tool.commands)
      addRow(out, command.name, command.summary, 12);
    addRow(out, "help",
           "tell what a command takes: " + tool.name +
               " help COMMAND, or COMMAND --help",
           12);
  } else {
    out = commandText(tool.commands.front());
  }
  out += "\n";
  for (const OptionInfo &option : tool.options)
    addRow(out, option.name, option.help);
  addRow(out, "-h, --help", "print this text");
  addRow(out, "--help man|bash", "print a manual page, or completion for bash");
  addRow(out, "--version", "print the version");
  out += "\nA value may follow its option after a space or '='.\n";
  addMeanings(out, "Environment", tool.environment);
  addMeanings(out, "Exit codes", tool.exitCodes);
  return out;
}

//===-- Answers -----------------------------------------------------------===//

static Status usage(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}

static Result<std::string> helpOf(const ToolInfo &tool,
                                  const std::string &name) {
  std::vector<std::string> names;
  for (const CommandInfo &command : tool.commands) {
    if (command.name == name)
      return helpText(command);
    names.push_back(command.name);
  }
  return usage("unknown command '" + name + "'" + suggest(name, names) + " (" +
               tool.name + " --help lists all)");
}

/// A document for other programs, or nothing for any other word.
static std::optional<std::string> document(const ToolInfo &tool,
                                           const std::string &what) {
  if (what == "man")
    return manPage(tool);
  if (what == "bash")
    return bashCompletion(tool);
  return std::nullopt;
}

/// The answer to `--help WHAT` and `help WHAT`.
static std::optional<Result<std::string>>
answerAbout(const ToolInfo &tool, bool isWord, const std::string &what) {
  if (isWord && !tool.hasCommands())
    return std::nullopt; // a file called "help", and another
  if (std::optional<std::string> text = document(tool, what); text && !isWord)
    return *text;
  if (tool.hasCommands())
    return helpOf(tool, what);
  return std::nullopt;
}

std::optional<Result<std::string>>
cli::answer(const ToolInfo &tool, const std::vector<std::string> &arguments) {
  if (arguments.empty() || arguments.size() > 2)
    return std::nullopt;
  const std::string &first = arguments[0];
  constexpr std::string_view kWhat = "--help=";
  if (arguments.size() == 2) {
    if (first != "help" && first != "-h" && first != "--help")
      return std::nullopt;
    return answerAbout(tool, first == "help", arguments[1]);
  }
  if (first == "-h" || first == "--help" || first == "help")
    return helpText(tool);
  if (first == "--version")
    return tool.name + " " + tool.version + "\n";
  if (!first.starts_with(kWhat))
    return std::nullopt;
  if (auto text = document(tool, first.substr(kWhat.size())))
    return *text;
  return usage(first + ": expected man or bash");
}
