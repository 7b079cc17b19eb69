// What the values of a parsed text are called there.
#ifndef MPC_LIB_PIPELINES_SOURCENAMES_H
#define MPC_LIB_PIPELINES_SOURCENAMES_H

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Value.h"
#include "mpc/Interfaces/LLVM.h"
#include <string>

namespace mpc {

/// The text of `range`, or "".
std::string textOf(llvm::SMRange range);

/// A result and its name, "%y". Results that have one name together, as of
/// `%y:2 = ...`, also have a number, "%y#1".
struct NamedResult {
  Value value;
  std::string name, group; ///< `group` is "%y" for "%y#1", else empty.
};

/// The results of an op that have names in its text.
SmallVector<NamedResult>
namesOfResults(const mlir::AsmParserState::OperationDefinition &op);

} // namespace mpc

#endif // MPC_LIB_PIPELINES_SOURCENAMES_H
