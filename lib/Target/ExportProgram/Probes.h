// What the outputs of entry "probe" tell. Private to this room.
#ifndef MPC_LIB_TARGET_EXPORTPROGRAM_PROBES_H
#define MPC_LIB_TARGET_EXPORTPROGRAM_PROBES_H

#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "mpc/Program/Program.h"

namespace mpc::target {

/// Appends one probe for each observation of `entry`, in the order of their
/// numbers. An error if an observation reads one that is not there.
LogicalResult addProbes(program::ProgramT &program, exec::EntryOp entry);

} // namespace mpc::target

#endif // MPC_LIB_TARGET_EXPORTPROGRAM_PROBES_H
