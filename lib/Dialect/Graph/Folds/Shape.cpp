// Family Shape: folders and canonical forms. Chains of one movement become one
// movement; a movement that keeps the row-major order becomes a reshape, which
// costs nothing.
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "ConstantFolding.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::graph;

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  SmallVector<int64_t> strides = getStrides(getType().getShape());
  return foldMovement(adaptor.getInput(), getType(),
                      [&](ArrayRef<int64_t> index) {
                        int64_t source = 0;
                        for (auto [i, stride] : llvm::zip(index, strides))
                          source += i * stride;
                        return source;
                      });
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return getInput();
  if (auto inner = getInput().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> composed;
    for (int64_t dim : permutation)
      composed.push_back(inner.getPermutation()[dim]);
    getInputMutable().assign(inner.getInput());
    setPermutation(composed);
    return getResult();
  }
  SmallVector<int64_t> strides = getStrides(getInput().getType().getShape());
  return foldMovement(adaptor.getInput(), getType(),
                      [&](ArrayRef<int64_t> index) {
                        int64_t source = 0;
                        for (auto [i, dim] : llvm::zip(index, permutation))
                          source += i * strides[dim];
                        return source;
                      });
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<BroadcastOp>()) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  auto dense = dyn_cast_or_null<mlir::DenseElementsAttr>(adaptor.getInput());
  if (dense && dense.isSplat())
    return dense.resizeSplat(getType());
  return {};
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<SliceOp>()) {
    SmallVector<int64_t> offsets;
    for (auto [a, b] : llvm::zip(inner.getOffsets(), getOffsets()))
      offsets.push_back(a + b);
    getInputMutable().assign(inner.getInput());
    setOffsets(offsets);
    return getResult();
  }
  SmallVector<int64_t> strides = getStrides(getInput().getType().getShape());
  return foldMovement(
      adaptor.getInput(), getType(), [&](ArrayRef<int64_t> index) {
        int64_t source = 0;
        for (auto [i, offset, stride] : llvm::zip(index, getOffsets(), strides))
          source += (i + offset) * stride;
        return source;
      });
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (isUniform(adaptor.getInput(), 0.0))
    return getUniform(getType(), 0.0);
  return {};
}

/// Dims of size 1 look the same from both ends.
OpFoldResult FlipOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  if (llvm::all_of(getDims(), [&](int64_t dim) { return shape[dim] == 1; }))
    return getInput();
  return {};
}

/// What adds nothing, and repeats nothing, is its input.
template <typename Op> static OpFoldResult foldKept(Op op) {
  return op.getInput().getType() == op.getType() ? OpFoldResult(op.getInput())
                                                 : OpFoldResult();
}
OpFoldResult TileOp::fold(FoldAdaptor) { return foldKept(*this); }
OpFoldResult ReflectionPadOp::fold(FoldAdaptor) { return foldKept(*this); }
OpFoldResult ReplicationPadOp::fold(FoldAdaptor) { return foldKept(*this); }
OpFoldResult CircularPadOp::fold(FoldAdaptor) { return foldKept(*this); }

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  // Only uniform constants: a literal of pieces would have to be stored.
  auto first =
      dyn_cast_or_null<mlir::DenseElementsAttr>(adaptor.getInputs().front());
  if (!first || !first.isSplat())
    return {};
  Attribute joined = first.resizeSplat(getType());
  for (Attribute input : adaptor.getInputs()) {
    auto dense = dyn_cast_or_null<mlir::DenseElementsAttr>(input);
    if (!dense || !dense.isSplat() || dense.resizeSplat(getType()) != joined)
      return {};
  }
  return joined;
}

//===-- Canonical forms --------------------------------------------------===//

/// The same of what is broadcast, which has fewer elements to move.
static LogicalResult transposeFirst(TransposeOp op, PatternRewriter &rewriter) {
  auto broadcast = op.getInput().getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return failure();
  Value input = broadcast.getInput();
  auto type = cast<RankedTensorType>(input.getType());
  size_t missing = op.getType().getRank() - type.getRank();
  if (missing > 0) {
    SmallVector<int64_t> shape(missing, 1);
    llvm::append_range(shape, type.getShape());
    input = ReshapeOp::create(rewriter, op.getLoc(), type.clone(shape), input);
  }
  Value moved =
      TransposeOp::create(rewriter, op.getLoc(), input, op.getPermutation());
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), moved);
  return success();
}

/// A transpose that moves only dims of size 1 -> reshape.
LogicalResult TransposeOp::canonicalize(TransposeOp op,
                                        PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = op.getInput().getType().getShape();
  SmallVector<int64_t> longDims;
  llvm::copy_if(op.getPermutation(), std::back_inserter(longDims),
                [&](int64_t dim) { return shape[dim] != 1; });
  if (!llvm::is_sorted(longDims))
    return transposeFirst(op, rewriter);
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
  return success();
}

/// A broadcast that repeats nothing -> reshape.
LogicalResult BroadcastOp::canonicalize(BroadcastOp op,
                                        PatternRewriter &rewriter) {
  if (op.getInput().getType().getNumElements() != op.getType().getNumElements())
    return rewriter.notifyMatchFailure(op, "elements repeat");
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
  return success();
}

/// A slice that lies within one input of a concat -> slice of that input.
LogicalResult SliceOp::canonicalize(SliceOp op, PatternRewriter &rewriter) {
  auto concat = op.getInput().getDefiningOp<ConcatOp>();
  if (!concat)
    return rewriter.notifyMatchFailure(op, "input is not a concat");
  int64_t dim = concat.getDim(), first = op.getOffsets()[dim];
  for (Value input : concat.getInputs()) {
    int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    if (first >= size) {
      first -= size;
      continue;
    }
    if (first + op.getSizes()[dim] > size)
      break;
    SmallVector<int64_t> offsets(op.getOffsets());
    offsets[dim] = first;
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), input, offsets,
                                         op.getSizes());
    return success();
  }
  return rewriter.notifyMatchFailure(op, "the slice needs several inputs");
}

/// concat(a, concat(b, c)) along one dim -> concat(a, b, c), if the inner one
/// has no other use.
LogicalResult ConcatOp::canonicalize(ConcatOp op, PatternRewriter &rewriter) {
  SmallVector<Value> inputs;
  for (Value input : op.getInputs()) {
    auto inner = input.getDefiningOp<ConcatOp>();
    if (inner && inner.getDim() == op.getDim() && inner->hasOneUse())
      llvm::append_range(inputs, inner.getInputs());
    else
      inputs.push_back(input);
  }
  if (inputs.size() == op.getInputs().size())
    return rewriter.notifyMatchFailure(op, "no input is such a concat");
  rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
  return success();
}
