#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult CrossEntropyOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult MseOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
