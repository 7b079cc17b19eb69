#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

SmallVector<Value> MeanOp::decompose(mlir::ImplicitLocOpBuilder &) { return {}; }
SmallVector<Value> GlobalNormOp::decompose(mlir::ImplicitLocOpBuilder &) { return {}; }
