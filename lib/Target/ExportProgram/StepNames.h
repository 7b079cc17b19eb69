// Names of records for traces and messages. Private to this room.
#ifndef MPC_LIB_TARGET_EXPORTPROGRAM_STEPNAMES_H
#define MPC_LIB_TARGET_EXPORTPROGRAM_STEPNAMES_H

#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include <string>

namespace mpc::target {

/// What `step` does, in which part of a step, and where it was written: "row:
/// sub, exp, sum (backward) at m.mlir:7", as mpc/Program/RecordName.h has it.
std::string describeStep(Operation *step, mlir::SymbolTableCollection &symbols);

} // namespace mpc::target

#endif // MPC_LIB_TARGET_EXPORTPROGRAM_STEPNAMES_H
