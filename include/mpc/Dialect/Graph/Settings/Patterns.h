// Regular expressions that name parameters or outputs: by their whole names.
#ifndef MPC_DIALECT_GRAPH_SETTINGS_PATTERNS_H
#define MPC_DIALECT_GRAPH_SETTINGS_PATTERNS_H

#include "mpc/Dialect/Graph/Settings/SettingsTable.h"
#include "llvm/Support/Regex.h"

namespace mpc::graph {

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
