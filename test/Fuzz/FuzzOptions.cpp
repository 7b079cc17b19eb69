// Command lines, one argument a line: what is refused is refused in one line,
// and what is accepted obeys the table.
#include "../CommandLine/Example.h"
#include "Bytes.h"

#include <algorithm>
#include <cmath>

using namespace mpc;
using namespace mpc::fuzz;
using mpc::cli::testing::Example;

static std::vector<std::string> splitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

static void checkAccepted(const Example &example) {
  require(!example.bounded || (*example.bounded >= 1 && *example.bounded <= 9),
          "a count in its bounds");
  require(!example.rate || (*example.rate > 0 && std::isfinite(*example.rate)),
          "a finite number above 0");
  require(!example.real || example.count, "no option without what it needs");
  require(example.text.empty() || !example.other,
          "no option beside what it excludes");
  require(example.word == "one" || example.word == "two",
          "one of the words that there are");
  for (const auto &[name, file] : example.pairs)
    require(!name.empty() && !file.empty(), "pairs of two texts");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  std::vector<std::string> arguments =
      splitLines({reinterpret_cast<const char *>(bytes), size});
  Example example;
  Result<cli::Request> request = example.command.parse(arguments);
  if (!request) {
    const std::string &message = request.status().message();
    require(!message.empty() && message.find('\n') == std::string::npos,
            "a message of one line");
    return 0;
  }
  if (!request->help)
    checkAccepted(example);
  return 0;
}
