// Family Attention: gradient rules. The forward pass keeps its operands, its
// result and one number per query; weights are computed again.
#include "mpc/Dialect/Graph/IR/Ops/Attention.h"
#include "Rule.h"
#include "mlir/IR/Matchers.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

LogicalResult ScaledDotProductAttentionOp::buildVjp(GradientBuilder &g) {
  if (!mlir::matchPattern(g.cotangent(1), mlir::m_AnyZeroFloat()))
    return emitOpError("expected nothing that is differentiated to depend on "
                       "the log-sum-exp, which has no gradient");
  if (draws() && !getStream())
    return emitOpError("expected a stream, from which the backward draws again "
                       "what the forward drew; run mpc-number-random first");
  SmallVector<Value> randomKey;
  for (unsigned index = getNumOperands() - getRandomKey().size();
       index < getNumOperands(); ++index)
    randomKey.push_back(g.operand(index));
  unsigned mask = 3;
  bool needsMask = getMask() && g.needs(mask);
  auto gradients = ScaledDotProductAttentionBackwardOp::create(
      g.builder(), g.operand(0), g.operand(1), g.operand(2),
      getMask() ? g.operand(mask) : Value(), g.result(0), g.result(1),
      g.cotangent(0), getCausal(), getWindowAttr(), getScaleAttr(),
      getSoftcapAttr(), getDropoutAttr(), getStreamAttr(), randomKey,
      needsMask);
  for (unsigned index = 0; index < 3; ++index)
    g.set(index, gradients->getResult(index));
  if (needsMask)
    g.set(mask, gradients.getMaskCotangent());
  return success();
}

// dx = dy turned back
LogicalResult RotaryEmbeddingOp::buildVjp(GradientBuilder &g) {
  if (g.needs(1) || g.needs(2))
    return emitOpError("expected nothing that is trained to have an effect on "
                       "cosine and sine, which have no gradient; turn the "
                       "pairs by mul, sub, add and concat to train them");
  Expr sine = operand(g, 2);
  g.set(0, RotaryEmbeddingOp::create(g.builder(), g.cotangent(0), operand(g, 1),
                                     -sine, getInterleaved(),
                                     getRotaryWidthAttr()));
  return success();
}
