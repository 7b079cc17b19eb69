// Reading a command line: Boost.Program_options cuts it into options, values
// and files; what they mean, and what is said when they are wrong, comes from
// the table (Meaning.cpp). The library's exceptions end here.
#include "mpc/CommandLine/Command.h"

#include <algorithm>
#include <boost/program_options.hpp>

using namespace mpc;
using namespace mpc::cli;
namespace po = boost::program_options;
using Arguments = std::vector<std::string>;

static Status usage(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}

//===-- Cutting -----------------------------------------------------------===//

namespace {
/// The library's name of the file arguments. Nobody can type it as an option:
/// what follows a "=" there is a value.
constexpr const char *kFile = "file=argument";

bool isShort(const std::string &name) { return name.size() == 2; }

po::options_description describe(const CommandInfo &info) {
  po::options_description description;
  for (const OptionInfo &option : info.options) {
    // "lr" for --lr, ",o" for -o.
    std::string name = isShort(option.name) ? "," + option.name.substr(1)
                                            : option.name.substr(2);
    if (option.isFlag())
      description.add_options()(name.c_str(), "");
    else
      description.add_options()(name.c_str(), po::value<std::string>(), "");
  }
  description.add_options()(kFile, po::value<Arguments>(), "");
  return description;
}

/// "--lr" for the library's "lr", "-o" for its "-o".
std::string nameOf(const po::option &option) {
  if (option.position_key >= 0)
    return "";
  const std::string &key = option.string_key;
  return key.starts_with("-") ? key : "--" + key;
}

std::string join(const Arguments &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

po::parsed_options cut(const CommandInfo &info, const Arguments &arguments) {
  using namespace po::command_line_style;
  po::positional_options_description files;
  files.add(kFile, -1);
  po::options_description description = describe(info);
  po::parsed_options parsed = po::command_line_parser(arguments)
                                  .options(description)
                                  .positional(files)
                                  .style(unix_style & ~allow_guessing)
                                  .run();
  parsed.description = nullptr; // dies here
  return parsed;
}

/// The message of a failure that has no option to name better.
Status explain(const po::invalid_command_line_syntax &failure) {
  using Syntax = po::invalid_command_line_syntax;
  // Of short options it says "--o".
  std::string name = failure.get_option_name();
  if (name.size() == 3 && name.starts_with("--"))
    name.erase(0, 1);
  switch (failure.kind()) {
  case Syntax::missing_parameter:
  case Syntax::empty_adjacent_parameter:
    return usage("expected a value for '" + name + "', but got none");
  case Syntax::extra_parameter:
    return usage("expected no value for '" + name + "', but got one");
  default:
    return usage(failure.what());
  }
}
} // namespace

//===-- Reading -----------------------------------------------------------===//

/// Whether the help is asked for, in front of any "--".
static bool asksForHelp(const Arguments &arguments) {
  auto end = std::ranges::find(arguments, "--");
  return std::any_of(arguments.begin(), end, [](const std::string &word) {
    return word == "--help" || word == "-h";
  });
}

Result<Request> Command::parse(const Arguments &arguments) {
  Request request;
  if (asksForHelp(arguments)) {
    request.help = true;
    return request;
  }
  std::vector<Occurrence> found;
  try {
    for (const po::option &option : cut(information(), arguments).options)
      found.push_back({nameOf(option),
                       option.value.empty() ? "" : option.value[0],
                       join(option.original_tokens)});
  } catch (const po::unknown_option &failure) {
    return unknown(failure.get_option_name());
  } catch (const po::invalid_command_line_syntax &failure) {
    return explain(failure);
  } catch (const po::error &failure) {
    return usage(failure.what());
  }
  bool hasArgument = false;
  for (Occurrence &occurrence : found) {
    if (!occurrence.name.empty()) {
      if (isShort(occurrence.name) && occurrence.value.starts_with("="))
        occurrence.value.erase(0, 1); // "-o=file"
      if (occurrence.typed.empty())
        occurrence.typed = occurrence.name; // of several in one word
      if (Status status = take(occurrence); !status.ok())
        return status;
      continue;
    }
    if (info.argument.empty())
      return usage("expected options alone, but got '" + occurrence.value +
                   "'");
    if (std::exchange(hasArgument, true))
      return usage("expected one " + info.argument + ", but got '" +
                   request.argument + "' and '" + occurrence.value + "'");
    request.argument = occurrence.value;
  }
  if (!hasArgument && !info.argument.empty())
    return usage("expected " + info.argument + " (" + info.fullName() +
                 " --help tells more)");
  if (Status status = checkTogether(); !status.ok())
    return status;
  return request;
}
