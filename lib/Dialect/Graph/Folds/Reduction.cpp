// Family Reduction: folders and canonical forms. Sums are never split, merged
// or reordered: that changes their rounding.
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "ConstantFolding.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"

using namespace mpc;
using namespace mpc::graph;

/// A reduction over no dims is its input.
template <typename Op> static Value foldOverNothing(Op op) {
  bool nothing =
      op.getDims().empty() && op.getInput().getType() == op.getType();
  return nothing ? op.getInput() : Value();
}

/// A reduction over dims of size 1 -> reshape.
template <typename Op>
static LogicalResult reshapeOverSingles(Op op, PatternRewriter &rewriter) {
  RankedTensorType from = op.getInput().getType(), to = op.getType();
  if (from.getNumElements() != to.getNumElements() ||
      from.getElementType() != to.getElementType())
    return rewriter.notifyMatchFailure(op, "elements are combined or rounded");
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, to, op.getInput());
  return success();
}

OpFoldResult SumOp::fold(FoldAdaptor) { return foldOverNothing(*this); }
OpFoldResult MeanOp::fold(FoldAdaptor) { return foldOverNothing(*this); }
OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  if (Value input = foldOverNothing(*this))
    return input;
  auto dense = dyn_cast_or_null<mlir::DenseElementsAttr>(adaptor.getInput());
  if (dense && dense.isSplat())
    return dense.resizeSplat(getType());
  return {};
}

LogicalResult SumOp::canonicalize(SumOp op, PatternRewriter &rewriter) {
  return reshapeOverSingles(op, rewriter);
}
LogicalResult MeanOp::canonicalize(MeanOp op, PatternRewriter &rewriter) {
  return reshapeOverSingles(op, rewriter);
}
LogicalResult MaxOp::canonicalize(MaxOp op, PatternRewriter &rewriter) {
  return reshapeOverSingles(op, rewriter);
}
