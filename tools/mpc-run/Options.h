// The command line: `--name value`, `--name=value`, flags and file arguments.
#ifndef MPC_TOOLS_MPC_RUN_OPTIONS_H
#define MPC_TOOLS_MPC_RUN_OPTIONS_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mpc::run {

/// The options of one command. Every add function ties an option to a variable,
/// which must outlive parse(). Errors are usage failures that name the option.
class Options {
public:
  /// `argument`: what the one file argument is called in the help, "MODEL".
  Options(std::string command, std::string summary, std::string argument);

  void addFlag(std::string name, std::string help, bool &target);
  void addText(std::string name, std::string value, std::string help,
               std::string &target);
  void addCount(std::string name, std::string value, std::string help,
                std::optional<uint64_t> &target);
  void addReal(std::string name, std::string value, std::string help,
               std::optional<double> &target);
  /// A repeatable option of the form LEFT<separator>RIGHT.
  void addPairs(std::string name, std::string value, std::string help,
                char separator,
                std::vector<std::pair<std::string, std::string>> &target);

  /// Reads `arguments` and returns the file argument, or nothing if the help
  /// was asked for (and printed).
  std::optional<std::string> parse(const std::vector<std::string> &arguments);
  std::string help() const;

private:
  struct Option {
    std::string name, value, help; ///< `value` is empty for flags.
    std::function<void(const std::string &)> set;
    bool isRepeatable = false, wasGiven = false;
  };
  Option &find(const std::string &name);
  std::string where() const { return "mpc-run " + command; }

  std::string command, summary, argument;
  std::vector<Option> options;
};

/// ", did you mean 'x'?" for the nearest candidate, "" if none is near.
std::string suggest(std::string_view word,
                    const std::vector<std::string> &candidates);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_OPTIONS_H
