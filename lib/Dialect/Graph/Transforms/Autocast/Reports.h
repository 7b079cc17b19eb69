// What mpc-autocast tells beside the casts that it inserts.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTOCAST_REPORTS_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTOCAST_REPORTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Precision/PrecisionAnalysis.h"

namespace mpc::graph {

/// Constants that do not fit, one warning per constant and type.
void reportConstants(mlir::func::FuncOp func,
                     const PrecisionAnalysis &analysis);

/// Ops that PyTorch refuses to autocast: there an error, here f32.
void reportBanned(mlir::func::FuncOp func, const PrecisionAnalysis &analysis);

/// Library calls that have operands of types which the target does not compute
/// with, one remark per type. Of a function that has its casts.
void reportWidened(mlir::func::FuncOp func);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_AUTOCAST_REPORTS_H
