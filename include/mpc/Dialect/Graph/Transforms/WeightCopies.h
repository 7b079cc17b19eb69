// 16-bit copies of the master weights, kept from step to step.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_WEIGHTCOPIES_H
#define MPC_DIALECT_GRAPH_TRANSFORMS_WEIGHTCOPIES_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// Replaces the casts of parameters that the compiler inserted, in the forward
/// and step entries of `module`, by state `<parameter>.<type>`. The step writes
/// it from the next parameter, and a new entry `init` computes it from the
/// masters. Runs after the update was inserted. Fails with an error when the
/// name of a copy is taken.
LogicalResult publishWeightCopies(ModuleOp module);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_WEIGHTCOPIES_H
