// Family Activation: verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Activation.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult LeakyReluOp::verify() {
  if (!getNegativeSlope().isFinite()) // C2
    return emitOpError("expected a finite negative_slope, but got ")
           << getNegativeSlopeAttr();
  return success();
}

LogicalResult EluOp::verify() {
  if (!getAlpha().isFinite()) // C2
    return emitOpError("expected a finite alpha, but got ") << getAlphaAttr();
  return success();
}

LogicalResult SoftplusOp::verify() {
  if (!getBeta().isFinite() || !(getBeta().convertToDouble() > 0)) // C2
    return emitOpError("expected a finite beta greater than 0, but got ")
           << getBetaAttr();
  return success();
}
