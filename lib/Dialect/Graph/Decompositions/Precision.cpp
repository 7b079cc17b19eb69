#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

SmallVector<Value> ScaleOp::decompose(mlir::ImplicitLocOpBuilder &) { return {}; }
SmallVector<Value> UnscaleOp::decompose(mlir::ImplicitLocOpBuilder &) { return {}; }
SmallVector<Value> ScalerUpdateOp::decompose(mlir::ImplicitLocOpBuilder &) { return {}; }
