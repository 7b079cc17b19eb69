// Family Cast: gradient rules.
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "Rule.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

// dx = dy in the type of x, for the same reason as the cast
LogicalResult CastOp::buildVjp(GradientBuilder &g) {
  Type element = mlir::getElementTypeOrSelf(getInput());
  g.set(0, castTo(cotangent(g), element, getReason()));
  return success();
}
