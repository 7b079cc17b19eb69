// Sequences that nobody reads, and values that one of them has.
// Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GROUP_PRUNESCANS_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GROUP_PRUNESCANS_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// Takes from the scans of `block` the sequences that nobody reads; what is
/// carried after the last step is read from the sequence that it becomes.
void pruneScans(Block &block);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GROUP_PRUNESCANS_H
