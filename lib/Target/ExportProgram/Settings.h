// The training settings of a program as key-value pairs. Private to this room.
#ifndef MPC_LIB_TARGET_EXPORTPROGRAM_SETTINGS_H
#define MPC_LIB_TARGET_EXPORTPROGRAM_SETTINGS_H

#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Program/Program.h"

namespace mpc::target {

/// Appends one pair per field of `training`, under the names that the options
/// have on the command line.
void addSettings(program::ProgramT &program, graph::TrainingAttr training);

/// The same of what was done to keep to a limit of memory, if there is one.
void addMemoryLimit(program::ProgramT &program, ModuleOp module);

} // namespace mpc::target

#endif // MPC_LIB_TARGET_EXPORTPROGRAM_SETTINGS_H
