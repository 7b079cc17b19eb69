// What a loss depends on by way of floats: all that can have a gradient.
#ifndef MPC_DIALECT_GRAPH_TRAINING_LOSSREACH_H
#define MPC_DIALECT_GRAPH_TRAINING_LOSSREACH_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// The values that one of `losses` depends on, themselves included, as
/// mpc-differentiate sees it: integers, booleans and ops that stop gradients
/// end the dependence. Regions may stand where they were written; a call of an
/// implementation is taken to depend on all that it is given.
DenseSet<Value> findLossReach(ValueRange losses);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRAINING_LOSSREACH_H
