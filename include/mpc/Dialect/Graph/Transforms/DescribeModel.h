// The facts of a model that settings are judged by.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_DESCRIBEMODEL_H
#define MPC_DIALECT_GRAPH_TRANSFORMS_DESCRIBEMODEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/Training/SettingOverrides.h"

namespace mpc::graph {

/// What settings of `func`, a model's function, are judged by, where `parts`
/// are asked for: what is built is less where the model has no use for it.
OverriddenModel describeModel(mlir::func::FuncOp func, BuiltParts parts);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_DESCRIBEMODEL_H
