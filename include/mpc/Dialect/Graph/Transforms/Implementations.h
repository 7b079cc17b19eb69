// Implementations of custom ops, and the regions that their ops stand in: what
// the two passes share that inline them, before autocast and behind it.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_IMPLEMENTATIONS_H
#define MPC_DIALECT_GRAPH_TRANSFORMS_IMPLEMENTATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"

namespace mpc::graph {

/// The settings of `inner` in `outer`: what it leaves out is the outer one's,
/// its name is behind the outer one's. Either may be null.
AutocastRegionAttr nestRegions(AutocastRegionAttr outer,
                               AutocastRegionAttr inner);

/// The function that `call` names; the verifier of the call has found it.
mlir::func::FuncOp getImplementation(CustomOp call);

/// Whether `func` is there to be called by custom ops, and is no model.
bool isImplementation(mlir::func::FuncOp func);

/// Fails with an error at an implementation that reaches itself, and notes at
/// the calls.
LogicalResult checkRecursion(ModuleOp module);

/// Erases implementations that no op of the module names any more; answers
/// whether there were any.
bool eraseUnusedImplementations(ModuleOp module);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_IMPLEMENTATIONS_H
