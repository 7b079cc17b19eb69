// The six parts of planning the buffers of an entry, in their order. Private
// to this room.
#ifndef MPC_LIB_DIALECT_EXEC_TRANSFORMS_PLANNING_H
#define MPC_LIB_DIALECT_EXEC_TRANSFORMS_PLANNING_H

#include "mpc/Dialect/Exec/IR/ExecOps.h"

namespace mpc::exec {

/// Steps of `entry` in an order in which every update can be done in place:
/// buffers first, then steps, then updates and outputs. Updates whose step
/// cannot share memory with the state go through a copy from here on.
LogicalResult orderForUpdates(EntryOp entry,
                              mlir::SymbolTableCollection &symbols);

/// Replaces the buffer of every update by the state it updates.
void donateStates(EntryOp entry);

/// Steps of `entry` in an order in which less is alive at once, if one is
/// found. After donateStates: what updates a state makes nothing.
void orderForPeak(EntryOp entry);

/// All-reduces of `entry` become steps that begin them and steps that wait, and
/// what needs a bucket runs once the next one is on its way.
void overlapCollectives(EntryOp entry);

/// Merges results into operands that die, where steps allow it.
void reuseDyingBuffers(EntryOp entry, mlir::SymbolTableCollection &symbols);

/// Offsets of all buffers, and the arena's size.
void placeBuffers(EntryOp entry);

} // namespace mpc::exec

#endif // MPC_LIB_DIALECT_EXEC_TRANSFORMS_PLANNING_H
