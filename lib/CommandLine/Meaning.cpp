// What options mean that were given, and what is said when they are wrong. By
// itself, since a shared library cannot hold Boost's archive, which cuts
// command lines (Parse.cpp).
#include "mpc/CommandLine/Command.h"
#include "mpc/CommandLine/Suggest.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::cli;

static Status usage(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}

static Status missingValue(const std::string &name) {
  return usage("expected a value for '" + name + "', but got none");
}

Option *Command::find(const std::string &name) {
  auto found = std::ranges::find_if(
      options, [&](const Option &option) { return option.info.name == name; });
  return found == options.end() ? nullptr : &*found;
}

Status Command::unknown(const std::string &word) const {
  std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names = {"--help"};
  for (const Option &option : options)
    names.push_back(option.info.name);
  return usage("unknown option '" + name + "'" + suggest(name, names) + " (" +
               info.fullName() + " --help lists all)");
}

Status Command::take(const Occurrence &occurrence) {
  Option &option = *find(occurrence.name);
  if (option.wasGiven() && !option.info.isRepeatable)
    return usage("option '" + occurrence.name + "' is given twice");
  option.typed = occurrence.typed;
  // The library takes what follows, an option that was meant as one, too.
  bool isForgotten =
      occurrence.value.starts_with("--") &&
      occurrence.typed == occurrence.name + " " + occurrence.value;
  if (!option.info.isFlag() && (occurrence.value.empty() || isForgotten))
    return missingValue(occurrence.name);
  if (std::optional<std::string> mistake = option.read(occurrence.value))
    return usage(occurrence.typed + ": " + *mistake);
  return Status();
}

/// "'--save' or '--save-dir'".
static std::string joinQuoted(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "'" : " or '") + name + "'";
  return text;
}

Status Command::checkTogether() const {
  auto isGiven = [&](const std::string &name) { return !typed(name).empty(); };
  for (const Option &option : options) {
    const std::string &name = option.info.name;
    if (option.info.isRequired && !option.wasGiven())
      return usage("expected '" + name + " " + option.info.metavar + "' (" +
                   info.fullName() + " --help tells more)");
    if (!option.wasGiven())
      continue;
    for (const std::string &other : option.excluded)
      if (isGiven(other))
        return usage("expected '" + name + "' or '" + other +
                     "', but got both");
    for (const std::vector<std::string> &others : option.needed)
      if (std::ranges::none_of(others, isGiven))
        return usage("'" + name + "' needs " + joinQuoted(others));
  }
  return Status();
}

Status Command::readPairs(
    const std::vector<std::pair<std::string, std::string>> &given) {
  for (const auto &[name, value] : given) {
    Option *option = find(name);
    if (!option)
      return unknown(name);
    if (option->info.isFlag() && !value.empty())
      return usage("expected no value for '" + name + "', but got '" + value +
                   "'");
    Status status =
        take({name, value, value.empty() ? name : name + "=" + value});
    if (!status.ok())
      return status;
  }
  return checkTogether();
}
