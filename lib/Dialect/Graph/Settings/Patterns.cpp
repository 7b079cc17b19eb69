#include "mpc/Dialect/Graph/Settings/Patterns.h"
#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace mpc;
using namespace mpc::graph;

namespace {
/// How large the machine of a pattern becomes, of which repetitions are copies:
/// found before it is made, which takes all memory or all of the stack.
class PatternSize {
public:
  /// Larger ones are refused. No name needs them.
  static constexpr double kLargest = 1 << 14;
  static constexpr size_t kDeepest = 64;

  explicit PatternSize(StringRef pattern) : rest(pattern) {}

  /// Infinity beyond both bounds.
  double compute() {
    while (!rest.empty()) {
      char next = take();
      if (next == '(')
        groups.push_back(1);
      else if (next == ')' && groups.size() > 1)
        add(groups.pop_back_val());
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
    rest = rest.drop_front();
    return first;
  }

  double sizeOfOne(char first) {
    if (first == '\\' && !rest.empty())
      take();
    if (first == '[') // of which the first may be ']'
      rest = rest.drop_front(std::min(rest.find(']', 1), rest.size()));
    return 1;
  }

  /// Adds what is in front of `rest`, as often as that says.
  void add(double size) {
    while (!rest.empty() && StringRef("*+?{").contains(rest.front())) {
      if (take() != '{') {
        size *= 2;
        continue;
      }
      auto [counts, behind] = rest.split('}');
      auto [least, most] = counts.split(',');
      unsigned number = 0;
      if (!(most.empty() ? least : most).getAsInteger(10, number))
        size *= std::max(number, 1u) + 1.0;
      rest = behind;
    }
    groups.back() += size;
  }

  StringRef rest;
  SmallVector<double> groups = {0};
};
} // namespace

std::optional<std::string> graph::findPatternMistake(StringRef pattern) {
  if (PatternSize(pattern).compute() > PatternSize::kLargest)
    return "it is too large, or nested too deeply";
  for (size_t i = 0; i + 1 < pattern.size(); ++i)
    if (pattern[i] == '\\' && llvm::isDigit(pattern[++i]))
      return "it refers back to a group, which may take for ever";
  std::string error;
  if (llvm::Regex(pattern).isValid(error))
    return std::nullopt;
  return error;
}

LogicalResult graph::verifyPattern(StringRef pattern, EmitError emitError) {
  auto mistake = findPatternMistake(pattern);
  if (!mistake)
    return success();
  return emitError() << "expected a regular expression, but got '" << pattern
                     << "': " << *mistake;
}

llvm::Regex graph::wholeNames(StringRef pattern) {
  return llvm::Regex(("^(" + pattern + ")$").str());
}

/// "'w1', 'b1', ... (4 in all)".
static std::string listNames(ArrayRef<StringRef> names) {
  constexpr size_t kShown = 8;
  std::string text;
  for (StringRef name : names.take_front(kShown))
    text += (text.empty() ? "'" : ", '") + name.str() + "'";
  if (names.size() > kShown)
    text += ", ... (" + std::to_string(names.size()) + " in all)";
  return text;
}

static StringRef describe(Named named) {
  return named == Named::Outputs ? "an output of the model"
                                 : "a parameter that is trained";
}

LogicalResult graph::verifyMatch(StringRef pattern, Named named,
                                 ArrayRef<StringRef> names,
                                 EmitError emitError) {
  llvm::Regex regex = wholeNames(pattern);
  if (llvm::any_of(names, [&](StringRef name) { return regex.match(name); }))
    return success();
  InFlightDiagnostic error = emitError();
  error << "expected a pattern of the whole name of " << describe(named)
        << ", but ";
  if (names.empty())
    return error << "there is none";
  return error << "it matches none of " << listNames(names)
               << "; '.*' matches all";
}
