// Family Shape: folders and canonical forms. Chains of one movement become one
// movement; a movement that keeps the row-major order becomes a reshape, which
// costs nothing.
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "ConstantFolding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

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
    SmallVector<int64_t> offsets, steps;
    for (auto [dim, offset] : llvm::enumerate(getOffsets())) {
      offsets.push_back(inner.getOffsets()[dim] + offset * inner.getStep(dim));
      // No step is made to a single element, however long it is.
      steps.push_back(getSizes()[dim] == 1 ? 1
                                           : getStep(dim) * inner.getStep(dim));
    }
    if (getSteps() || inner.getSteps())
      setSteps(steps);
    getInputMutable().assign(inner.getInput());
    setOffsets(offsets);
    return getResult();
  }
  SmallVector<int64_t> strides = getStrides(getInput().getType().getShape());
  return foldMovement(
      adaptor.getInput(), getType(), [&](ArrayRef<int64_t> index) {
        int64_t source = 0;
        for (auto [dim, stride] : llvm::enumerate(strides))
          source += (getOffsets()[dim] + index[dim] * getStep(dim)) * stride;
        return source;
      });
}

namespace {
/// What a window sees along a dim.
struct Seen {
  int64_t first, last; ///< Places, before they are divided by the spread.
  bool isInside;  ///< All of them elements of the input, one after the other
                  ///< in its order or some apart.
  bool isOutside; ///< None of them an element.
};
} // namespace

static Seen see(WindowOp op, size_t dim) {
  int64_t size = op.getInput().getType().getDimSize(dim);
  int64_t spread = op.getSpread(dim), first = op.getOffsets()[dim];
  int64_t last = first + (op.getSizes()[dim] - 1) * op.getStep(dim);
  int64_t beyond = 0; // Places up to it may be elements.
  bool isFar = llvm::MulOverflow(size, spread, beyond);
  Seen seen{first, last, first >= 0 && (isFar || last < beyond) && spread == 1,
            last < 0 || (!isFar && first >= beyond)};
  return seen;
}

OpFoldResult WindowOp::fold(FoldAdaptor adaptor) {
  bool isOutside = false, isWhole = getInput().getType() == getType();
  for (size_t dim = 0, rank = getOffsets().size(); dim < rank; ++dim) {
    Seen seen = see(*this, dim);
    isOutside |= seen.isOutside;
    isWhole &= seen.isInside && seen.first == 0;
  }
  if (isWhole)
    return getInput();
  if (!getLowest() && (isOutside || isUniform(adaptor.getInput(), 0.0)))
    return getUniform(getType(), 0.0);
  return {};
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
    if (first + (op.getSizes()[dim] - 1) * op.getStep(dim) >= size)
      break;
    SmallVector<int64_t> offsets(op.getOffsets());
    offsets[dim] = first;
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(input);
      op.setOffsets(offsets);
    });
    return success();
  }
  return rewriter.notifyMatchFailure(op, "the slice needs several inputs");
}

/// A window that sees only elements, and no gaps -> slice.
LogicalResult WindowOp::canonicalize(WindowOp op, PatternRewriter &rewriter) {
  for (size_t dim = 0, rank = op.getOffsets().size(); dim < rank; ++dim)
    if (!see(op, dim).isInside)
      return rewriter.notifyMatchFailure(op, "sees what is no element");
  rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), op.getInput(),
                                       op.getOffsetsAttr(), op.getSizesAttr(),
                                       op.getStepsAttr());
  return success();
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
