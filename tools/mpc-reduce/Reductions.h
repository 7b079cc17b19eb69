// How a graph gets smaller without becoming malformed.
#ifndef MPC_TOOLS_MPC_REDUCE_REDUCTIONS_H
#define MPC_TOOLS_MPC_REDUCE_REDUCTIONS_H

#include "mlir/IR/DialectRegistry.h"

namespace mpc::reduce {

/// Gives the graph dialect what `--reduction-tree` may do beside erasing ops:
///   - a result becomes zeros or an operand of the same type, and what only
///     its op has read goes away;
///   - results and unused arguments of functions go away.
/// Each is kept if the test script still finds the module interesting.
void registerReductions(mlir::DialectRegistry &registry);

} // namespace mpc::reduce

#endif // MPC_TOOLS_MPC_REDUCE_REDUCTIONS_H
