// Family Random: gradient rules. They draw again what the forward drew.
#include "mpc/Dialect/Graph/IR/Ops/Random.h"
#include "Rule.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

// dx = dy / (1 - ratio) where x was kept, else 0: a dropout of dy
LogicalResult DropoutOp::buildVjp(GradientBuilder &g) {
  if (!getStream())
    return emitOpError("expected a stream, from which the backward draws again "
                       "what the forward drew; run mpc-number-random first");
  SmallVector<Value> key;
  for (unsigned index = 0; index < getRandomKey().size(); ++index)
    key.push_back(g.operand(1 + index));
  Value dy = g.cotangent(0);
  g.set(0, DropoutOp::create(g.builder(), dy.getType(), dy, getRatioAttr(),
                             getStreamAttr(), key));
  return success();
}
