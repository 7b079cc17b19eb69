// Declaring options: how the text of each kind becomes a value.
#include "mpc/CommandLine/Command.h"

#include "mpc/Support/Number.h"

#include <algorithm>
#include <limits>

using namespace mpc;
using namespace mpc::cli;

//===-- One option --------------------------------------------------------===//

Option &Option::required() {
  info.isRequired = true;
  return *this;
}
Option &Option::atLeast(uint64_t limit) {
  least = limit;
  return *this;
}
Option &Option::atMost(uint64_t limit) {
  most = limit;
  return *this;
}
Option &Option::positive() {
  isPositive = true;
  return *this;
}
Option &Option::repeatable() {
  info.isRepeatable = true;
  return *this;
}

Option &Option::needs(std::string other) {
  needed.push_back({std::move(other)});
  return *this;
}
Option &Option::needsOneOf(std::vector<std::string> others) {
  needed.push_back(std::move(others));
  return *this;
}
Option &Option::excludes(std::string other) {
  excluded.push_back(std::move(other));
  return *this;
}

static std::string join(const std::vector<std::string> &words,
                        const std::string &separator, const std::string &last) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? last : separator) + words[i];
  return text;
}

Option &Option::oneOf(std::vector<std::string> words) {
  info.words = std::move(words);
  info.metavar = join(info.words, "|", "|");
  takesOnlyWords = true;
  return *this;
}
Option &Option::suggests(std::vector<std::string> words) {
  info.words = std::move(words);
  return *this;
}

std::optional<std::string> Option::read(const std::string &text) const {
  if (takesOnlyWords && std::ranges::find(info.words, text) == info.words.end())
    return "expected " + join(info.words, ", ", " or ");
  return reader(text);
}

std::optional<std::string> Option::checkRange(double number) const {
  auto text = [](uint64_t limit) { return std::to_string(limit); };
  bool fits = !(least && number < static_cast<double>(*least)) &&
              !(most && number > static_cast<double>(*most));
  if (!fits && least && most)
    return "expected " + text(*least) + " to " + text(*most);
  if (!fits)
    return least ? "expected at least " + text(*least)
                 : "expected at most " + text(*most);
  if (isPositive && !(number > 0))
    return "expected a number above 0";
  return std::nullopt;
}

//===-- The table ---------------------------------------------------------===//

Command::Command(std::string tool, std::string name, std::string summary,
                 std::string argument) {
  info.tool = std::move(tool);
  info.name = std::move(name);
  info.summary = std::move(summary);
  if (size_t dot = argument.rfind('.'); dot != std::string::npos)
    info.endings.push_back(argument.substr(dot));
  info.argument = std::move(argument);
}

void Command::alsoTakes(std::string ending) {
  info.endings.push_back(std::move(ending));
}

void Command::setDetails(std::string details) {
  info.details = std::move(details);
}

void Command::beginGroup(std::string title) { group = std::move(title); }

Option &Command::add(std::string name, std::string metavar, std::string help) {
  Option &option = options.emplace_back();
  option.info.name = std::move(name);
  option.info.metavar = std::move(metavar);
  option.info.help = std::move(help);
  option.info.group = group;
  return option;
}

Option &Command::addFlag(std::string name, std::string help, bool &target) {
  Option &option = add(std::move(name), "", std::move(help));
  option.reader = [&target](const std::string &) {
    target = true;
    return std::nullopt;
  };
  return option;
}

Option &Command::addText(std::string name, std::string metavar,
                         std::string help, std::string &target) {
  return addChecked(std::move(name), std::move(metavar), std::move(help),
                    [&target](const std::string &text) {
                      target = text;
                      return std::nullopt;
                    });
}

Option &Command::addCount(std::string name, std::string metavar,
                          std::string help, std::optional<uint64_t> &target) {
  Option &option = add(std::move(name), std::move(metavar), std::move(help));
  option.reader = [&option, &target](
                      const std::string &text) -> std::optional<std::string> {
    auto number = parseNumber<uint64_t>(text);
    if (!number && !text.empty() &&
        text.find_first_not_of("0123456789") == std::string::npos)
      return "expected at most " +
             std::to_string(std::numeric_limits<uint64_t>::max());
    if (!number)
      return "expected a whole number";
    target = number;
    return option.checkRange(static_cast<double>(*number));
  };
  return option;
}

Option &Command::addReal(std::string name, std::string metavar,
                         std::string help, std::optional<double> &target) {
  Option &option = add(std::move(name), std::move(metavar), std::move(help));
  option.reader = [&option, &target](
                      const std::string &text) -> std::optional<std::string> {
    auto number = parseNumber<double>(text);
    if (!number)
      return "expected a number";
    target = number;
    return option.checkRange(*number);
  };
  return option;
}

Option &
Command::addPairs(std::string name, std::string metavar, std::string help,
                  char separator,
                  std::vector<std::pair<std::string, std::string>> &target) {
  Option &option = add(std::move(name), metavar, std::move(help));
  option.info.isRepeatable = true;
  option.reader = [metavar = std::move(metavar), separator, &target](
                      const std::string &text) -> std::optional<std::string> {
    size_t at = text.find(separator);
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
      return "expected " + metavar;
    target.emplace_back(text.substr(0, at), text.substr(at + 1));
    return std::nullopt;
  };
  return option;
}

Option &Command::addChecked(
    std::string name, std::string metavar, std::string help,
    std::function<std::optional<std::string>(const std::string &)> read) {
  Option &option = add(std::move(name), std::move(metavar), std::move(help));
  option.reader = std::move(read);
  return option;
}

std::string Command::typed(const std::string &name) const {
  for (const Option &option : options)
    if (option.info.name == name)
      return option.typed;
  return "";
}

CommandInfo Command::information() const {
  CommandInfo table = info;
  std::vector<std::string> groups;
  for (const Option &option : options)
    if (std::ranges::find(groups, option.info.group) == groups.end())
      groups.push_back(option.info.group);
  for (const std::string &title : groups)
    for (const Option &option : options)
      if (option.info.group == title)
        table.options.push_back(option.info);
  return table;
}
