// Regular expressions that name parameters or outputs: by their whole names.
#ifndef MPC_DIALECT_GRAPH_SETTINGS_PATTERNS_H
#define MPC_DIALECT_GRAPH_SETTINGS_PATTERNS_H

#include "mpc/Dialect/Graph/Settings/SettingsTable.h"
#include "llvm/Support/Regex.h"

namespace mpc::graph {

/// The text of an option that stands for no pattern at all, where the model has
/// one. What is called so is matched by '(none)'.
inline constexpr StringRef kNoPattern = "none";

/// Why `pattern` is no regular expression (POSIX, extended), or one that no
/// name needs: repetitions that multiply beyond 2^14, deep nesting and
/// references to groups would take all memory, the stack, or for ever.
std::optional<std::string> findPatternMistake(StringRef pattern);

/// Fails with an error unless `pattern` is a regular expression.
LogicalResult verifyPattern(StringRef pattern, EmitError emitError);

/// Matches names that match `pattern` as a whole.
llvm::Regex wholeNames(StringRef pattern);

/// Fails with an error that lists `names` unless `pattern` matches one of them
/// as a whole, which are all that `named` has.
LogicalResult verifyMatch(StringRef pattern, Named named,
                          ArrayRef<StringRef> names, EmitError emitError);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_SETTINGS_PATTERNS_H
