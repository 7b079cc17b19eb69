// A command that has an option of each kind.
#ifndef MPC_TEST_COMMANDLINE_EXAMPLE_H
#define MPC_TEST_COMMANDLINE_EXAMPLE_H

#include "mpc/CommandLine/Command.h"

namespace mpc::cli::testing {

struct Example {
  bool flag = false, other = false;
  std::string text, output, word = "one";
  std::optional<uint64_t> count, bounded;
  std::optional<double> real, rate;
  std::vector<std::pair<std::string, std::string>> pairs;
  Command command{"tool", "run", "does it", "MODEL"};

  Example() {
    command.addFlag("--flag", "a flag", flag);
    command.addFlag("-v", "another", other);
    command.addText("--text", "FILE", "a text", text).excludes("-v");
    command.addText("-o", "FILE", "a file", output);
    command.addCount("--count", "N", "a count", count);
    command.addCount("--bounded", "N", "a count", bounded).atLeast(1).atMost(9);
    command.addReal("--real", "V", "a number", real).needs("--count");
    command.addReal("--rate", "V", "a number", rate).positive();
    command.addText("--word", "WORD", "a word", word).oneOf({"one", "two"});
    command.addPairs("--pair", "NAME=FILE", "pairs", '=', pairs);
  }
  /// The message, or "" after success.
  std::string parse(const std::vector<std::string> &words) {
    Result<Request> request = command.parse(words);
    return request ? "" : request.status().message();
  }
};

} // namespace mpc::cli::testing

#endif // MPC_TEST_COMMANDLINE_EXAMPLE_H
