#include "mpc/Support/Text/NamePattern.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <regex.h>
#include <vector>

using namespace mpc;

namespace {
/// How large the machine of a pattern becomes, of which repetitions are copies:
/// found before it is made, which takes all memory or all of the stack.
class PatternSize {
public:
  /// Larger ones are refused. No name needs them.
  static constexpr double kLargest = 1 << 14;
  static constexpr size_t kDeepest = 64;

  explicit PatternSize(std::string_view pattern) : rest(pattern) {}

  /// Infinity beyond both bounds.
  double compute() {
    while (!rest.empty()) {
      char next = take();
      if (next == '(')
        groups.push_back(1);
      else if (next == ')' && groups.size() > 1)
        closeGroup();
      else
        add(sizeOfOne(next));
      if (groups.size() > kDeepest || groups.back() > kLargest)
        return std::numeric_limits<double>::infinity();
    }
    return groups.back();
  }

private:
  char take() {
    char first = rest.front();
    rest.remove_prefix(1);
    return first;
  }

  void closeGroup() {
    double size = groups.back();
    groups.pop_back();
    add(size);
  }

  double sizeOfOne(char first) {
    if (first == '\\' && !rest.empty())
      take();
    if (first == '[') // of which the first may be ']'
      rest.remove_prefix(std::min(rest.find(']', 1), rest.size()));
    return 1;
  }

  /// Adds what is in front of `rest`, as often as that says.
  void add(double size) {
    constexpr std::string_view repeats = "*+?{";
    while (!rest.empty() && repeats.find(rest.front()) != repeats.npos)
      size *= take() == '{' ? takeCount() : 2;
    groups.back() += size;
  }

  /// One more than the larger number of "2,5}"; 1 where there is none.
  double takeCount() {
    size_t end = std::min(rest.find('}'), rest.size());
    std::string_view counts = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    size_t comma = std::min(counts.find(','), counts.size());
    std::string_view most = counts.substr(std::min(comma + 1, counts.size()));
    if (most.empty())
      most = counts.substr(0, comma);
    unsigned number = 0;
    const char *last = most.data() + most.size();
    auto [behind, error] = std::from_chars(most.data(), last, number);
    return error == std::errc() && behind == last ? std::max(number, 1u) + 1.0
                                                  : 1;
  }

  std::string_view rest;
  std::vector<double> groups = {0};
};
} // namespace

std::optional<std::string> mpc::findCostlyPattern(std::string_view pattern) {
  if (PatternSize(pattern).compute() > PatternSize::kLargest)
    return "it is too large, or nested too deeply";
  for (size_t i = 0; i + 1 < pattern.size(); ++i)
    if (pattern[i] == '\\' && pattern[++i] >= '0' && pattern[i] <= '9')
      return "it refers back to a group, which may take for ever";
  return std::nullopt;
}

struct NamePattern::Compiled {
  ~Compiled() {
    if (error == 0)
      regfree(&machine);
  }
  explicit Compiled(const std::string &text)
      : error(regcomp(&machine, text.c_str(), REG_EXTENDED | REG_NOSUB)) {}
  Compiled(const Compiled &) = delete;
  Compiled &operator=(const Compiled &) = delete;

  regex_t machine = {};
  int error;
};

Result<NamePattern> NamePattern::parse(const std::string &pattern) {
  auto refuse = [](std::string why) {
    return Status(StatusCode::InvalidArgument, std::move(why));
  };
  if (auto costly = findCostlyPattern(pattern))
    return refuse(*costly);
  if (pattern.find('\0') != pattern.npos)
    return refuse("it has a zero byte");
  // By itself first: in brackets "a)(b" would be right.
  Compiled alone(pattern);
  auto whole = std::make_shared<const Compiled>("^(" + pattern + ")$");
  if (int error = alone.error ? alone.error : whole->error) {
    char text[200];
    regerror(error, nullptr, text, sizeof text);
    return refuse(text);
  }
  return NamePattern(std::move(whole));
}

bool NamePattern::matches(const std::string &name) const {
  return name.find('\0') == name.npos &&
         regexec(&compiled->machine, name.c_str(), 0, nullptr, 0) == 0;
}
