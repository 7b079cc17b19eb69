#include "mpc/Dialect/Graph/IR/GraphOps.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult AddOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult SubOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult MulOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult DivOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult PowOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult MaximumOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult MinimumOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult NegOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult AbsOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult ExpOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult LogOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult SqrtOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult RsqrtOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult ErfOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult TanhOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult SigmoidOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult ReluOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult GeluOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
LogicalResult SelectOp::buildVjp(GradientBuilder &) { return emitOpError("has no gradient rule"); }
