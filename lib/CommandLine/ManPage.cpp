// A manual page in the macros of man(7). Without a date: the same tables give
// the same page.
#include "mpc/CommandLine/Documents.h"

#include <cctype>

using namespace mpc;
using namespace mpc::cli;

/// `text` as it is to be shown: hyphens that may be copied, no requests.
static std::string escape(const std::string &text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool startsLine = i == 0 || text[i - 1] == '\n';
    if (startsLine && (text[i] == '.' || text[i] == '\''))
      out += "\\&";
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

static std::string upper(std::string text) {
  for (char &letter : text)
    letter =
        static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

/// What is typed as it stands, and what stands for something else.
static std::string bold(const std::string &text) {
  return "\\fB" + escape(text) + "\\fR";
}
static std::string italic(const std::string &text) {
  return "\\fI" + escape(text) + "\\fR";
}

static void addOptions(std::string &out, const CommandInfo &command) {
  std::string group;
  for (const OptionInfo &option : command.options) {
    if (option.group != group)
      out += ".SS \"" +
             escape(command.name.empty() ? option.group
                                         : command.name + ": " + option.group) +
             "\"\n";
    group = option.group;
    out += ".TP\n" + bold(option.name);
    if (!option.isFlag())
      out += " " + italic(option.metavar);
    out += "\n" + escape(option.help);
    if (option.isRequired)
      out += " (required)";
    if (option.isRepeatable)
      out += " (may be given more than once)";
    out += "\n";
  }
}

static std::string synopsis(const CommandInfo &command) {
  std::string out = bold(command.fullName());
  if (!command.argument.empty())
    out += " " + italic(command.argument);
  for (const OptionInfo &option : command.options)
    if (option.isRequired)
      out += " " + bold(option.name) + " " + italic(option.metavar);
  return out + " [" + italic("options") + "]\n";
}

static void addMeanings(std::string &out, const std::string &title,
                        const std::vector<Meaning> &meanings) {
  if (meanings.empty())
    return;
  out += ".SH " + title + "\n";
  for (const auto &[name, meaning] : meanings)
    out += ".TP\n" + bold(name) + "\n" + escape(meaning) + "\n";
}

static void addExamples(std::string &out,
                        const std::vector<Meaning> &examples) {
  if (examples.empty())
    return;
  out += ".SH EXAMPLES\n";
  for (const auto &[line, meaning] : examples)
    out += ".PP\n" + escape(meaning) + "\n.PP\n.nf\n.RS\n" + escape(line) +
           "\n.RE\n.fi\n";
}

std::string cli::manPage(const ToolInfo &tool) {
  std::string out = ".TH " + upper(escape(tool.name)) + " 1 \"\" \"mpc " +
                    escape(tool.version) + "\" \"User Commands\"\n";
  out += ".SH NAME\n" + escape(tool.name) + " \\- " + escape(tool.summary) +
         "\n.SH SYNOPSIS\n";
  for (size_t i = 0; i < tool.commands.size(); ++i)
    out += (i ? ".br\n" : "") + synopsis(tool.commands[i]);
  out += ".SH DESCRIPTION\n";
  for (const CommandInfo &command : tool.commands) {
    const std::string &text =
        command.details.empty() ? command.summary : command.details;
    if (tool.hasCommands())
      out += ".TP\n" + bold(command.fullName()) + "\n";
    out += escape(text) + "\n";
  }
  out += ".SH OPTIONS\n.PP\nA value may follow its option after a space or "
         "\\(oq=\\(cq.\n";
  for (const CommandInfo &command : tool.commands)
    addOptions(out, command);
  if (!tool.options.empty())
    out += ".SS \"In front of a command\"\n";
  for (const OptionInfo &option : tool.options)
    out += ".TP\n" + bold(option.name) + "\n" + escape(option.help) + "\n";
  out += ".SS \"Every command line\"\n.TP\n" + bold("-h") + ", " +
         bold("--help") + "\nprint a short form of this page\n.TP\n" +
         bold("--version") + "\nprint the version\n";
  addMeanings(out, "ENVIRONMENT", tool.environment);
  addMeanings(out, "EXIT STATUS", tool.exitCodes);
  addExamples(out, tool.examples);
  return out;
}
