// What may name an input, parameter, state, output or loss. Names travel far:
// into program files, checkpoints, metrics and command lines.
#ifndef MPC_DIALECT_GRAPH_IR_NAMES_H
#define MPC_DIALECT_GRAPH_IR_NAMES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mpc/Interfaces/LLVM.h"
#include "mpc/Program/Names.h"

namespace mpc::graph {

/// 25,000 such names still fit the header of a checkpoint, whose readers stop
/// at 100 MB.
constexpr size_t kLongestName = 1024;

/// What names of a training step's own states begin with, before a dot:
/// "optimizer.lr". Its outputs are in Program/Names.h.
constexpr std::string_view kStateWords[] = {"accumulation", "optimizer",
                                            "random", "scaler"};
/// The states that it has of each parameter group, after its name and a dot.
constexpr std::string_view kGroupStates[] = {"lr", "step"};

/// Fails with an error unless `name` is UTF-8 text without control characters
/// that is not empty, not longer than kLongestName bytes, and not the key that
/// safetensors files keep for themselves. `what` says in the error whose name
/// it is.
LogicalResult verifyName(StringRef name, const Twine &what,
                         function_ref<InFlightDiagnostic()> emitError);

/// The name that a mark of an argument or result gives: the string that it is,
/// or the name of a state. Null: none.
StringAttr getName(Attribute mark);

/// The one of `words` that `name` begins with, before a dot; or "".
StringRef findWord(StringRef name, ArrayRef<std::string_view> words);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_NAMES_H
