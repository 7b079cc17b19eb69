// Implementations of custom ops, and the regions that their ops stand in: what
// the two passes share that inline them, before autocast and after it.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_IMPLEMENTATIONS_H
#define MPC_DIALECT_GRAPH_TRANSFORMS_IMPLEMENTATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

namespace mpc::graph {
class CustomOp;

/// The settings of `inner` in `outer`: what it leaves out is the outer one's,
/// its name is after the outer one's. Either may be null.
AutocastRegionAttr nestRegions(AutocastRegionAttr outer,
                               AutocastRegionAttr inner);

/// Marks `copy`, which stands for `op` of the implementation of `call`, as
/// recomputed if `call` is, or what it does not return.
void inheritRecompute(CustomOp call, Operation *op, Operation *copy);

/// The function that `call` names; the verifier of the call has found it.
mlir::func::FuncOp getImplementation(CustomOp call,
                                     mlir::SymbolTableCollection &symbols);

/// Whether `func` is there to be called by custom ops, and is no model.
bool isImplementation(mlir::func::FuncOp func);

/// A network of some hundred layers has less than a tenth of these ops.
constexpr int64_t kMostInlinedOps = int64_t(1) << 20;
constexpr int64_t kDeepestCalls = 100;

/// Fails with an error at an implementation that reaches itself, with notes at
/// the calls, and at the call whose ops, put in place, would be beyond the
/// limits above.
LogicalResult checkCalls(ModuleOp module);

/// Erases implementations that no op of the module names any more; answers
/// whether there were any.
bool eraseUnusedImplementations(ModuleOp module);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_IMPLEMENTATIONS_H
