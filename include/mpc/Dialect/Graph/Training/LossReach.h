// What a loss depends on by way of floats: all that can have a gradient.
#ifndef MPC_DIALECT_GRAPH_TRAINING_LOSSREACH_H
#define MPC_DIALECT_GRAPH_TRAINING_LOSSREACH_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// What `value` is computed from. A result: the operands of its op, or what
/// the op's region yields as it. An argument of a scan's body: the operands
/// that it is in some step of time, and what the step before it yields; of
/// another body: all operands of the op. Else nothing.
void appendSources(Value value, SmallVectorImpl<Value> &sources);

/// The values that one of `losses` depends on, themselves included, as
/// mpc-differentiate sees it: integers, booleans and, unless `throughStops`,
/// ops that stop gradients end the dependence. Regions may stand where they
/// were written; a call of an implementation is taken to depend on all that it
/// is given.
DenseSet<Value> findLossReach(ValueRange losses, bool throughStops = false);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRAINING_LOSSREACH_H
