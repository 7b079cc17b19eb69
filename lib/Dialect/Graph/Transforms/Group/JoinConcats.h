// Concats of what kernels make.
// Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GROUP_JOINCONCATS_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GROUP_JOINCONCATS_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc {
struct TargetDescription;
} // namespace mpc

namespace mpc::graph {

/// Where groups of `block` make all that a concat joins, and nobody else reads
/// it, they write it where it comes to lie (the `strides` of a group), and the
/// concat, whose group is taken away, is no work any more.
void joinConcats(Block &block, const TargetDescription &target);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GROUP_JOINCONCATS_H
