#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

SmallVector<Value> CrossEntropyOp::decompose(mlir::ImplicitLocOpBuilder &) { return {}; }
SmallVector<Value> MseOp::decompose(mlir::ImplicitLocOpBuilder &) { return {}; }
