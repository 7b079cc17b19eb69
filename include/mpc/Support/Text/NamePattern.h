// Regular expressions (POSIX, extended) that name things by their whole names.
#ifndef MPC_SUPPORT_TEXT_NAMEPATTERN_H
#define MPC_SUPPORT_TEXT_NAMEPATTERN_H

#include "mpc/Support/Status.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mpc {

/// Why `pattern` is one that no name needs: repetitions that multiply beyond
/// 2^14, deep nesting and references to groups would take all memory, the
/// stack, or for ever. Nothing: whoever compiles it says whether it is right.
std::optional<std::string> findCostlyPattern(std::string_view pattern);

/// A pattern for those who have no LLVM. The time of a match is bounded: the
/// system's own automaton does not go back.
class NamePattern {
public:
  /// InvalidArgument: why it is no such pattern.
  static Result<NamePattern> parse(const std::string &pattern);
  bool matches(const std::string &name) const;

private:
  struct Compiled;
  explicit NamePattern(std::shared_ptr<const Compiled> compiled)
      : compiled(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled;
};

} // namespace mpc

#endif // MPC_SUPPORT_TEXT_NAMEPATTERN_H
