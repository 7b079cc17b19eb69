#include "Masks.h"
#include "Importer.h"

using namespace mpc;
using namespace mpc::onnx;

/// Ones of the shape of `mask`, of which a training drops some, in the type of
/// `like`; the same of all readers of what was drawn.
static Expr droppedOnes(Node &n, const MaskNode &part, Expr mask, Expr like) {
  Value &known = n.importer.droppedOnes[part.draw];
  if (!known) {
    Expr ones = n.broadcast(like.constant(1), mask.shape());
    if (ones && part.keep < 1)
      ones = n.op("dropout", {ones}, {{"ratio", n.realAttr(1 - part.keep)}});
    known = ones;
  }
  return known ? n.cast(n.wrap(known), like.elementType()) : Expr();
}

Expr mpc::onnx::maskOf(Node &n, Expr a, Expr b) {
  const MaskNode *part = n.importer.findMask(n.proto);
  if (!part || !a || !b || !isa<mlir::FloatType>(a.elementType()))
    return {};
  Expr operand = part->operand == 0 ? a : b;
  if (part->part == MaskPart::Quotient)
    return operand;
  Expr ones = droppedOnes(n, *part, operand, operand);
  if (!ones || part->part == MaskPart::Scaled)
    return ones;
  return n.op("mul", {part->operand == 0 ? b : a, ones});
}

Expr mpc::onnx::choiceOf(Node &n, Expr flags, Expr a, Expr b) {
  const MaskNode *part = n.importer.findMask(n.proto);
  if (!part || !flags || !a || !b || !isa<mlir::FloatType>(a.elementType()))
    return {};
  Expr operand = part->operand == 1 ? a : b;
  Expr ones = droppedOnes(n, *part, flags, operand);
  Expr chosen = n.select(flags, a, b); // for its shape
  if (!ones || !chosen)
    return {};
  if (part->part == MaskPart::Choice)
    ones = n.op("mul", {operand, ones});
  return n.broadcast(ones, chosen.shape());
}
