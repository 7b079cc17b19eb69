// Types and shapes of the exec dialect as those of the program file. Private to
// this room.
#ifndef MPC_LIB_TARGET_EXPORTPROGRAM_PROGRAMTYPES_H
#define MPC_LIB_TARGET_EXPORTPROGRAM_PROGRAMTYPES_H

#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "mpc/Program/Program.h"

namespace mpc::target {

std::vector<int64_t> shapeOf(Type buffer);

/// The program's word for one of the dialect's. A new word that has none does
/// not build.
program::Role toProgram(graph::Role role);
program::MultiTensorKind toProgram(exec::MultiTensorKind kind);
program::ReduceKind toProgram(graph::ReduceKind kind);

} // namespace mpc::target

#endif // MPC_LIB_TARGET_EXPORTPROGRAM_PROGRAMTYPES_H
