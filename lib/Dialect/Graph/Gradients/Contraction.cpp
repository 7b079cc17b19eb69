#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult MatmulOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
