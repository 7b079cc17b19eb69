#include "Options.h"

#include "Failure.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>

using namespace mpc::run;

//===-- Suggestions -------------------------------------------------------===//

static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string mpc::run::suggest(std::string_view word,
                              const std::vector<std::string> &candidates) {
  std::string best;
  size_t bestDistance = word.size() / 3 + 2;
  for (const std::string &candidate : candidates) {
    size_t distance = editDistance(word, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best.empty() ? "" : ", did you mean '" + best + "'?";
}

//===-- Declaring ---------------------------------------------------------===//

Options::Options(std::string command, std::string summary, std::string argument)
    : command(std::move(command)), summary(std::move(summary)),
      argument(std::move(argument)) {}

void Options::addFlag(std::string name, std::string help, bool &target) {
  options.push_back({std::move(name), "", std::move(help),
                     [&target](const std::string &) { target = true; }});
}

void Options::addText(std::string name, std::string value, std::string help,
                      std::string &target) {
  auto set = [this, name, &target](const std::string &text) {
    if (text.empty())
      throw usageError(command + ": expected a value for '" + name +
                       "', but got none");
    target = text;
  };
  options.push_back({name, std::move(value), std::move(help), set});
}

void Options::addCount(std::string name, std::string value, std::string help,
                       std::optional<uint64_t> &target) {
  auto set = [this, name, &target](const std::string &text) {
    uint64_t number = 0;
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end)
      throw usageError(command + ": expected a whole number for '" + name +
                       "', but got '" + text + "'");
    target = number;
  };
  options.push_back({name, std::move(value), std::move(help), set});
}

void Options::addReal(std::string name, std::string value, std::string help,
                      std::optional<double> &target) {
  auto set = [this, name, &target](const std::string &text) {
    double number = 0;
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stop != end || !std::isfinite(number))
      throw usageError(command + ": expected a number for '" + name +
                       "', but got '" + text + "'");
    target = number;
  };
  options.push_back({name, std::move(value), std::move(help), set});
}

void Options::addPairs(
    std::string name, std::string value, std::string help, char separator,
    std::vector<std::pair<std::string, std::string>> &target) {
  auto set = [this, name, value, separator, &target](const std::string &text) {
    size_t at = text.find(separator);
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
      throw usageError(command + ": expected " + value + " for '" + name +
                       "', but got '" + text + "'");
    target.emplace_back(text.substr(0, at), text.substr(at + 1));
  };
  options.push_back({name, value, std::move(help), set, /*isRepeatable=*/true});
}

//===-- Reading -----------------------------------------------------------===//

Options::Option &Options::find(const std::string &name) {
  std::vector<std::string> names = {"--help"};
  for (Option &option : options) {
    if (option.name == name)
      return option;
    names.push_back(option.name);
  }
  throw usageError(command + ": unknown option '" + name + "'" +
                   suggest(name, names) + " (" + where() +
                   " --help lists all)");
}

std::optional<std::string>
Options::parse(const std::vector<std::string> &arguments) {
  std::optional<std::string> file;
  if (std::find(arguments.begin(), arguments.end(), "--help") !=
      arguments.end()) {
    std::fputs(help().c_str(), stdout);
    return std::nullopt;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &text = arguments[i];
    if (text.size() < 2 || text[0] != '-') {
      if (file)
        throw usageError(command + ": expected one " + argument +
                         ", but got '" + *file + "' and '" + text + "'");
      file = text;
      continue;
    }
    size_t equals = text.find('=');
    Option &option = find(text.substr(0, equals));
    if (std::exchange(option.wasGiven, true) && !option.isRepeatable)
      throw usageError(command + ": option '" + option.name +
                       "' is given twice");
    bool isFlag = option.value.empty();
    if (isFlag && equals != std::string::npos)
      throw usageError(command + ": option '" + option.name +
                       "' takes no value");
    if (!isFlag && equals == std::string::npos && ++i == arguments.size())
      throw usageError(command + ": expected " + option.value + " after '" +
                       option.name + "'");
    option.set(isFlag                        ? ""
               : equals == std::string::npos ? arguments[i]
                                             : text.substr(equals + 1));
  }
  if (!file)
    throw usageError(command + ": expected " + argument + " (" + where() +
                     " --help tells more)");
  return file;
}

std::string Options::help() const {
  std::string text = "usage: " + where() + " " + argument + " [options]\n\n" +
                     summary + "\n\noptions:\n";
  auto addLine = [&](std::string left, const std::string &right) {
    left.resize(std::max<size_t>(left.size() + 1, 28), ' ');
    text += "  " + left + right + "\n";
  };
  for (const Option &option : options)
    addLine(option.name + (option.value.empty() ? "" : " " + option.value),
            option.help);
  addLine("--help", "print this text");
  return text;
}
