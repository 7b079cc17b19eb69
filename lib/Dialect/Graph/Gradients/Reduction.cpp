#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult SumOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult MeanOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult MaxOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
