// Which values of the forward depend on parameters.
// Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTODIFF_ACTIVEVALUES_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTODIFF_ACTIVEVALUES_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

/// For a value that depends on parameters, one of them.
using Origins = DenseMap<Value, Value>;

/// Adds to `origin`, which has the parameters, the floats of `block` that
/// depend on them, and those in the bodies of its scans. Integers and booleans
/// end the dependence, and so do ops that stop gradients.
void findActive(Block &block, Origins &origin);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTODIFF_ACTIVEVALUES_H
