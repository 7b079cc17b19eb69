// What may name an input, parameter, state, output or loss. Names travel far:
// into program files, checkpoints, metrics and command lines.
#ifndef MPC_DIALECT_GRAPH_IR_NAMES_H
#define MPC_DIALECT_GRAPH_IR_NAMES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// 25,000 such names still fit the header of a checkpoint, whose readers stop
/// at 100 MB.
constexpr size_t kLongestName = 1024;

/// What names of a training step's own begin with, before a dot: its states
/// ("optimizer.lr"), and its outputs ("gradient.w").
constexpr StringRef kStateWords[] = {"accumulation", "optimizer", "scaler"};
constexpr StringRef kOutputWords[] = {"found_inf", "gradient", "scale"};
/// The states and outputs that it has of each parameter group, behind its name
/// and a dot.
constexpr StringRef kGroupStates[] = {"lr", "step"};
constexpr StringRef kGroupOutputs[] = {"grad_norm", "lr", "step"};

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
StringRef findWord(StringRef name, ArrayRef<StringRef> words);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_NAMES_H
