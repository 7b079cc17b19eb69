// The command line of one command: a table of options, each tied to a variable
// that must outlive parse().
//
//   std::optional<uint64_t> steps;
//   Command command("mpc-run", "train", "train a model", "MODEL.mpcx");
//   command.addCount("--steps", "N", "optimizer steps", steps).atLeast(1);
//   Result<Request> request = command.parse(arguments);
//
// `--name=value`, `--name value`, `-o value`, flags, one file argument, and
// `--` in front of a file that looks like an option. Numbers are read whole
// (mpc/Support/Number.h); an option is given once unless it is repeatable. An
// error names the option as it was typed: "--steps=0: expected at least 1".
#ifndef MPC_COMMANDLINE_COMMAND_H
#define MPC_COMMANDLINE_COMMAND_H

#include "mpc/CommandLine/Tables.h"
#include "mpc/Support/Status.h"
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

namespace mpc::cli {

/// A row of the table, and how its text becomes a value.
class Option {
public:
  Option &required();
  /// The least and largest number.
  Option &atLeast(uint64_t limit);
  Option &atMost(uint64_t limit);
  /// A number above 0.
  Option &positive();
  /// Only these texts; the metavar becomes "a|b|c".
  Option &oneOf(std::vector<std::string> words);
  /// These texts, or others: for completion.
  Option &suggests(std::vector<std::string> words);
  /// May be given several times.
  Option &repeatable();
  /// Makes sense only with, or never together with, another option.
  Option &needs(std::string other);
  Option &needsOneOf(std::vector<std::string> others);
  Option &excludes(std::string other);

  bool wasGiven() const { return !typed.empty(); }
  const OptionInfo &information() const { return info; }

private:
  friend class Command;
  /// Takes a text, or says what is wrong with it: "expected a number".
  using Reader = std::function<std::optional<std::string>(const std::string &)>;

  std::optional<std::string> read(const std::string &text) const;
  std::optional<std::string> checkRange(double number) const;

  OptionInfo info;
  Reader reader;
  std::optional<uint64_t> least, most;
  bool isPositive = false, takesOnlyWords = false;
  std::vector<std::vector<std::string>> needed; ///< Of each, one at least.
  std::vector<std::string> excluded;
  std::string typed; ///< "--steps=0", as it stood on the command line.
};

/// What a command line asks for.
struct Request {
  bool help = false; ///< Print the help, and nothing else.
  std::string argument;
};

class Command {
public:
  Command(std::string tool, std::string name, std::string summary,
          std::string argument);
  Command(const Command &) = delete;
  Command &operator=(const Command &) = delete;

  /// Files with names that end so may be the argument, too; those that end as
  /// its metavar does are.
  void alsoTakes(std::string ending);
  /// Paragraphs below the summary.
  void setDetails(std::string details);
  /// The heading of the options that are added from here on; one that was begun
  /// before goes on.
  void beginGroup(std::string title);

  Option &addFlag(std::string name, std::string help, bool &target);
  Option &addText(std::string name, std::string metavar, std::string help,
                  std::string &target);
  Option &addCount(std::string name, std::string metavar, std::string help,
                   std::optional<uint64_t> &target);
  Option &addReal(std::string name, std::string metavar, std::string help,
                  std::optional<double> &target);
  /// A repeatable option of the form LEFT<separator>RIGHT.
  Option &addPairs(std::string name, std::string metavar, std::string help,
                   char separator,
                   std::vector<std::pair<std::string, std::string>> &target);
  /// An option whose text `read` takes, or says what is wrong with it.
  Option &addChecked(
      std::string name, std::string metavar, std::string help,
      std::function<std::optional<std::string>(const std::string &)> read);

  Result<Request> parse(const std::vector<std::string> &arguments);
  /// The same of options, "--lr" and its value, an empty one of flags, where
  /// there is no command line: no argument, and no help.
  Status
  readPairs(const std::vector<std::pair<std::string, std::string>> &given);
  /// How an option was typed, "--lr=1e"; empty: it was not given.
  std::string typed(const std::string &name) const;
  /// The table, group by group; it outlives the command.
  CommandInfo information() const;

private:
  /// One option or file argument as it stood on the command line.
  struct Occurrence {
    std::string name; ///< "--lr" or "-o"; empty for a file argument.
    std::string value;
    std::string typed;
  };

  Option &add(std::string name, std::string metavar, std::string help);
  Option *find(const std::string &name);
  Status take(const Occurrence &occurrence);
  Status checkTogether() const;
  Status unknown(const std::string &word) const;

  CommandInfo info;
  std::string group = "Options";
  std::deque<Option> options; ///< References to its elements stay valid.
};

} // namespace mpc::cli

#endif // MPC_COMMANDLINE_COMMAND_H
