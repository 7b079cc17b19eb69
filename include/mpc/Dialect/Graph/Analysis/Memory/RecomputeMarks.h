// Which ops of a forward the backward computes again: those that carry the mark
// `graph.recompute`, and what belongs to them.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_MEMORY_RECOMPUTEMARKS_H
#define MPC_DIALECT_GRAPH_ANALYSIS_MEMORY_RECOMPUTEMARKS_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// Of the ops of `block` that `isForward` says are the forward's. A cast that
/// autocast put in belongs to those who read it there.
DenseSet<Operation *>
findRecomputed(Block &block, llvm::function_ref<bool(Operation *)> isForward);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_MEMORY_RECOMPUTEMARKS_H
