#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

SmallVector<Value> SgdOp::decompose(mlir::ImplicitLocOpBuilder &) { return {}; }
SmallVector<Value> AdamWOp::decompose(mlir::ImplicitLocOpBuilder &) { return {}; }
