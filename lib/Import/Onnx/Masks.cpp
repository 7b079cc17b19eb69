#include "Masks.h"
#include "Importer.h"

using namespace mpc;
using namespace mpc::onnx;

/// Ones of the mask's shape, of which a training drops some; the same of all
/// readers of what was drawn.
static Expr droppedOnes(Node &n, const MaskNode &part, Expr mask) {
  Value &known = n.importer.droppedOnes[part.draw];
  if (!known) {
    Expr ones = n.broadcast(mask.constant(1), mask.shape());
    if (ones && part.keep < 1)
      ones = n.op("dropout", {ones}, {{"ratio", n.realAttr(1 - part.keep)}});
    known = ones;
  }
  return known ? n.cast(n.wrap(known), mask.elementType()) : Expr();
}

Expr mpc::onnx::maskOf(Node &n, Expr a, Expr b) {
  const MaskNode *part = n.importer.findMask(n.proto);
  if (!part || !a || !b || !isa<mlir::FloatType>(a.elementType()))
    return {};
  if (part->part == MaskPart::Quotient)
    return a;
  Expr ones = droppedOnes(n, *part, part->mask == 0 ? a : b);
  if (!ones || part->part == MaskPart::Scaled)
    return ones;
  return n.op("mul", {part->mask == 0 ? b : a, ones});
}
