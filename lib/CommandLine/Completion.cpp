// A script for bash. It needs no helper of the package bash-completion, and
// holds all words: completing starts no tool.
#include "mpc/CommandLine/Documents.h"

using namespace mpc;
using namespace mpc::cli;

/// The name of a function of the script: "_mpc_run".
static std::string functionName(const std::string &tool) {
  std::string name = "_" + tool;
  for (char &letter : name)
    if (letter == '-')
      letter = '_';
  return name;
}

static std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

/// What completes the value of an option, as a command of the script.
static std::string completer(const OptionInfo &option) {
  if (!option.words.empty())
    return "words=\"" + join(option.words) + "\"";
  if (option.metavar.ends_with("FOLDER"))
    return "files=-d";
  if (option.metavar.ends_with("FILE"))
    return "files=-f";
  return "return 0";
}

/// The command, and what completes its argument where that is a file.
static void addCommand(std::string &out, const CommandInfo &command) {
  std::vector<std::string> names;
  for (const OptionInfo &option : command.options)
    names.push_back(option.name);
  names.push_back("--help");
  out += "  " + (command.name.empty() ? "*" : command.name) + ")\n";
  out += "    options=\"" + join(names) + "\"\n";
  out += "    endings=\"" + join(command.endings) + "\"\n";
  out += "    case $previous in\n";
  for (const OptionInfo &option : command.options)
    if (!option.isFlag())
      out += "    " + option.name + ") " + completer(option) + " ;;\n";
  if (command.argument.empty())
    out += "    *) [[ $current == -* ]] || return 0 ;;\n";
  out += "    esac\n    ;;\n";
}

/// Finds the command, after what may stand in front of it.
static std::string findCommand(const ToolInfo &tool) {
  std::string out = "  local at=1\n";
  for (const OptionInfo &option : tool.options)
    out += "  [[ ${COMP_WORDS[at]} == " + option.name +
           " && $COMP_CWORD -gt $at ]] && at=$((at + 1))\n";
  return out + "  [[ $COMP_CWORD -gt $at ]] && command=${COMP_WORDS[at]}\n";
}

std::string cli::bashCompletion(const ToolInfo &tool) {
  std::vector<std::string> commands;
  if (tool.hasCommands())
    for (const CommandInfo &command : tool.commands)
      commands.push_back(command.name);
  commands.push_back("help");
  std::string function = functionName(tool.name);
  std::string out =
      "# Completion of " + tool.name + " for bash, written by " + tool.name +
      " --help=bash.\n" + function +
      "() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} options= words= files=\n"
      "  local endings=\n"
      "  local previous=${COMP_WORDS[COMP_CWORD - 1]} command=\n"
      "  # bash cuts --name=value into three words.\n"
      "  if [[ $current == '=' ]]; then\n"
      "    current=\n"
      "  elif [[ $previous == '=' ]]; then\n"
      "    previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
      "  fi\n" +
      findCommand(tool) + "  case $command in\n";
  if (tool.hasCommands()) {
    std::vector<std::string> options;
    for (const OptionInfo &option : tool.options)
      options.push_back(option.name);
    options.insert(options.end(), {"--help", "--version"});
    out += "  '') options=\"" + join(options) + "\"\n" +
           "    [[ $current != -* ]] && words=\"" + join(commands) + "\" ;;\n";
    commands.pop_back();
    out += "  help) words=\"" + join(commands) + "\" ;;\n";
  }
  for (const CommandInfo &command : tool.commands)
    addCommand(out, command);
  out += "  esac\n"
         "  if [[ -z $words && -z $files && $current == -* ]]; then\n"
         "    words=$options\n"
         "  elif [[ -z $words ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    if [[ -z $files && -n $endings ]]; then\n"
         "      # Files that fit, and folders on the way to them.\n"
         "      mapfile -t COMPREPLY < <(compgen -d -- \"$current\"\n"
         "        for ending in $endings; do\n"
         "          compgen -f -X \"!*$ending\" -- \"$current\"\n"
         "        done)\n"
         "      return 0\n"
         "    fi\n"
         "    mapfile -t COMPREPLY < <(compgen ${files:--f} -- \"$current\")\n"
         "    return 0\n"
         "  fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\n"
         "complete -F " +
         function + " " + tool.name + "\n";
  return out;
}
