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
OpFoldResult ProdOp::fold(FoldAdaptor) { return foldOverNothing(*this); }
/// Of a reduction whose result is one of the elements.
template <typename Op>
static OpFoldResult foldSelecting(Op op, Attribute input) {
  if (Value whole = foldOverNothing(op))
    return whole;
  auto dense = dyn_cast_or_null<mlir::DenseElementsAttr>(input);
  if (dense && dense.isSplat())
    return dense.resizeSplat(op.getType());
  return {};
}
OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  return foldSelecting(*this, adaptor.getInput());
}
OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  return foldSelecting(*this, adaptor.getInput());
}
OpFoldResult AnyOp::fold(FoldAdaptor adaptor) {
  return foldSelecting(*this, adaptor.getInput());
}
OpFoldResult AllOp::fold(FoldAdaptor adaptor) {
  return foldSelecting(*this, adaptor.getInput());
}

LogicalResult SumOp::canonicalize(SumOp op, PatternRewriter &rewriter) {
  return reshapeOverSingles(op, rewriter);
}
LogicalResult MeanOp::canonicalize(MeanOp op, PatternRewriter &rewriter) {
  return reshapeOverSingles(op, rewriter);
}
LogicalResult ProdOp::canonicalize(ProdOp op, PatternRewriter &rewriter) {
  return reshapeOverSingles(op, rewriter);
}
LogicalResult MaxOp::canonicalize(MaxOp op, PatternRewriter &rewriter) {
  return reshapeOverSingles(op, rewriter);
}
LogicalResult MinOp::canonicalize(MinOp op, PatternRewriter &rewriter) {
  return reshapeOverSingles(op, rewriter);
}

/// Over no dims each element is taken, and beside it stands its index.
template <typename Op>
static LogicalResult foldWithIndex(Op op,
                                   SmallVectorImpl<OpFoldResult> &results) {
  if (!op.getDims().empty())
    return failure();
  results.append({op.getInput(), op.getIndices()});
  return success();
}
LogicalResult MaxWithIndexOp::fold(FoldAdaptor,
                                   SmallVectorImpl<OpFoldResult> &results) {
  return foldWithIndex(*this, results);
}
LogicalResult MinWithIndexOp::fold(FoldAdaptor,
                                   SmallVectorImpl<OpFoldResult> &results) {
  return foldWithIndex(*this, results);
}

/// Over dims of size 1, too, but of another shape.
template <typename Op>
static LogicalResult reshapeWithIndex(Op op, PatternRewriter &rewriter) {
  if (op.getInput().getType().getNumElements() !=
      cast<RankedTensorType>(op.getResult().getType()).getNumElements())
    return rewriter.notifyMatchFailure(op, "elements are compared");
  Value result = ReshapeOp::create(rewriter, op.getLoc(),
                                   op.getResult().getType(), op.getInput());
  Value index = ReshapeOp::create(rewriter, op.getLoc(),
                                  op.getIndex().getType(), op.getIndices());
  rewriter.replaceOp(op, {result, index});
  return success();
}
LogicalResult MaxWithIndexOp::canonicalize(MaxWithIndexOp op,
                                           PatternRewriter &rewriter) {
  return reshapeWithIndex(op, rewriter);
}
LogicalResult MinWithIndexOp::canonicalize(MinWithIndexOp op,
                                           PatternRewriter &rewriter) {
  return reshapeWithIndex(op, rewriter);
}
