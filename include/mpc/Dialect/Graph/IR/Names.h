// What may name an input, parameter, state, output or loss. Names travel far:
// into program files, checkpoints, metrics and command lines.
#ifndef MPC_DIALECT_GRAPH_IR_NAMES_H
#define MPC_DIALECT_GRAPH_IR_NAMES_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// 25,000 such names still fit the header of a checkpoint, whose readers stop
/// at 100 MB.
constexpr size_t kLongestName = 1024;

/// Fails with an error unless `name` is UTF-8 text without control characters
/// that is not empty, not longer than kLongestName bytes, and not the key that
/// safetensors files keep for themselves. `what` says in the error whose name
/// it is.
LogicalResult verifyName(StringRef name, const Twine &what,
                         function_ref<InFlightDiagnostic()> emitError);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_NAMES_H
