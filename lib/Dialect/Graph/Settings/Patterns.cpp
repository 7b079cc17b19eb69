#include "mpc/Dialect/Graph/Settings/Patterns.h"
#include "mpc/Support/Text/NamePattern.h"

using namespace mpc;
using namespace mpc::graph;

std::optional<std::string> graph::findPatternMistake(StringRef pattern) {
  if (auto costly = findCostlyPattern(pattern))
    return costly;
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
