#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult SoftmaxOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult LogSoftmaxOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult LayerNormOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
