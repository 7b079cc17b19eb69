// The names of values in a dump.
#ifndef MPC_LIB_PIPELINES_DUMP_NAMING_H
#define MPC_LIB_PIPELINES_DUMP_NAMING_H

#include "LocationNames.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Value.h"

namespace mpc::dump {

/// Names for all values below `module`, without '%', such that no two that
/// see each other have the same:
///
///   %h        the value of that name in the text, and what it has become
///   %h.cast   what a pass has made for it, by the word of the op
///   %h.grad.mul   what autodiff has made of its op
///   %step     an argument that is not in the text, by its mark
///   %found_inf, %3   all others, as the op or else MLIR calls them
///
/// A region's argument is called like the operand, and a result like what the
/// region yields. `printed` is how MLIR would print the module.
DenseMap<Value, std::string> nameValues(Operation *module,
                                        const LocationNames &names,
                                        mlir::AsmState &printed);

/// What `printed` calls `value`: "3" and "#1", or "h" and "".
std::pair<std::string, std::string> printedName(Value value,
                                                mlir::AsmState &printed);

} // namespace mpc::dump

#endif // MPC_LIB_PIPELINES_DUMP_NAMING_H
