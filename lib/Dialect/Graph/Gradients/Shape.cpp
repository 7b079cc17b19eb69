#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult ReshapeOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult TransposeOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult BroadcastOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult SliceOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult PadOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult ConcatOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
