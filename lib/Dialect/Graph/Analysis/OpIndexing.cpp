#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/PartialFolds.h"
#include "mpc/Interfaces/TensorBytes.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

SmallVector<int64_t> withoutUnits(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> sizes(shape);
  llvm::erase(sizes, 1);
  return sizes;
}

/// Whether a gather reads a part of its operand only.
bool isPartial(const Movement &movement, Value operand, Value result) {
  SmallVector<bool> covered;
  for (int64_t size : shapeOf(operand))
    covered.push_back(size == 1);
  for (auto [dim, from] : llvm::enumerate(movement.dims))
    if (from >= 0 && shapeOf(result)[dim] == shapeOf(operand)[from])
      covered[from] = true;
  return !llvm::all_of(covered, [](bool whole) { return whole; });
}

/// Whether the innermost dim of the operand is not innermost in the result.
bool movesInnermost(const Movement &movement, Value operand) {
  int64_t innermost = -1, last = -1;
  for (auto [dim, size] : llvm::enumerate(shapeOf(operand)))
    if (size > 1)
      innermost = dim;
  for (int64_t from : movement.dims)
    if (from >= 0 && shapeOf(operand)[from] > 1)
      last = from;
  return last != innermost;
}

OpForm getMovementForm(MovementOpInterface op) {
  Movement movement = op.getMovement();
  Value result = op->getResult(0);
  switch (movement.kind) {
  case Movement::Kind::Index:
    return OpForm::Index;
  case Movement::Kind::InsertSlices:
    return OpForm::InsertSlices;
  case Movement::Kind::Gather:
    return OpForm::Gather;
  case Movement::Kind::Window:
    return OpForm::Slice;
  case Movement::Kind::Reshape:
    return withoutUnits(shapeOf(op->getOperand(0))) ==
                   withoutUnits(shapeOf(result))
               ? OpForm::Pointwise
               : OpForm::View;
  case Movement::Kind::Strided:
    if (isPartial(movement, op->getOperand(0), result))
      return OpForm::Slice;
    return movesInnermost(movement, op->getOperand(0)) ? OpForm::Transpose
                                                       : OpForm::Pointwise;
  }
  llvm_unreachable("all kinds of movement are listed");
}

/// Gives each dim of `shape` that is not of size 1 the next iteration dim.
SmallVector<int> addDims(OpIndexing &indexing, ArrayRef<int64_t> shape) {
  SmallVector<int> dims;
  for (int64_t size : shape) {
    dims.push_back(size == 1 ? -1 : int(indexing.sizes.size()));
    if (size != 1)
      indexing.sizes.push_back(size);
  }
  indexing.reduced.resize(indexing.sizes.size(), false);
  return dims;
}

/// An operand of `shape` that broadcasts to the result.
SmallVector<int> alignRight(ArrayRef<int64_t> shape, ArrayRef<int> result) {
  SmallVector<int> dims;
  size_t lead = result.size() - shape.size();
  for (auto [dim, size] : llvm::enumerate(shape))
    dims.push_back(size == 1 ? -1 : result[lead + dim]);
  return dims;
}

/// An operand with the dims of the result except for those of size 1.
SmallVector<int> skipUnits(ArrayRef<int64_t> shape) {
  SmallVector<int> dims;
  int next = 0;
  for (int64_t size : shape)
    dims.push_back(size == 1 ? -1 : next++);
  return dims;
}

SmallVector<int> followStrided(const Movement &movement,
                               ArrayRef<int64_t> operand,
                               ArrayRef<int> result) {
  SmallVector<int> dims(operand.size(), -1);
  for (auto [dim, from] : llvm::enumerate(movement.dims))
    if (from >= 0 && operand[from] > 1)
      dims[from] = result[dim];
  return dims;
}

/// The parts are the first dim of the result.
OpIndexing indexPartialFold(ReductionOpInterface op, int64_t rowsPerPart) {
  OpIndexing indexing;
  SmallVector<int> dims = addDims(indexing, shapeOf(op->getOperand(0)));
  indexing.operands.assign(op->getNumOperands(), dims);
  indexing.result = {-1};
  llvm::append_range(indexing.result,
                     ArrayRef(dims).drop_front(op.getReducedDims().size()));
  indexing.rowsPerPart = rowsPerPart;
  return indexing;
}

OpIndexing indexReduction(ReductionOpInterface op) {
  if (int64_t rowsPerPart = getRowsPerPart(op))
    return indexPartialFold(op, rowsPerPart);
  OpIndexing indexing;
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  SmallVector<int> dims = addDims(indexing, shape);
  bool keeps = shapeOf(op->getResult(0)).size() == shape.size();
  SmallVector<int64_t> reduced = op.getReducedDims();
  for (auto [dim, iteration] : llvm::enumerate(dims)) {
    bool folds = llvm::is_contained(reduced, int64_t(dim));
    if (folds && iteration >= 0)
      indexing.reduced[iteration] = true;
    if (!folds)
      indexing.result.push_back(iteration);
    else if (keeps)
      indexing.result.push_back(-1);
  }
  indexing.operands.assign(op->getNumOperands(), dims);
  return indexing;
}

/// The indices run along the dims of the result that are theirs.
SmallVector<int> followIndices(const Movement &movement,
                               ArrayRef<int64_t> indices,
                               ArrayRef<int> result) {
  return SmallVector<int>(result.slice(movement.indexedDim, indices.size()));
}

OpIndexing indexMovement(MovementOpInterface op) {
  OpIndexing indexing;
  indexing.result = addDims(indexing, shapeOf(op->getResult(0)));
  Movement movement = op.getMovement();
  switch (movement.kind) {
  case Movement::Kind::Reshape:
    indexing.operands = {skipUnits(shapeOf(op->getOperand(0)))};
    break;
  case Movement::Kind::Window:
    indexing.operands = {{}};
    break;
  case Movement::Kind::Strided:
    if (getMovementForm(op) == OpForm::Slice)
      indexing.operands = {{}};
    else
      indexing.operands = {
          followStrided(movement, shapeOf(op->getOperand(0)), indexing.result)};
    break;
  case Movement::Kind::Gather:
    indexing.operands = {
        {},
        followIndices(movement, shapeOf(op->getOperand(1)), indexing.result)};
    break;
  case Movement::Kind::InsertSlices:
  case Movement::Kind::Index:
    break;
  }
  return indexing;
}
} // namespace

OpForm graph::getOpForm(Operation *op) {
  if (isa<KernelBodyOpInterface>(op))
    return OpForm::Pointwise;
  if (isa<ReductionOpInterface>(op))
    return OpForm::Reduction;
  if (isa<LibraryCallOpInterface>(op))
    return OpForm::Library;
  if (isa<SegmentSumOpInterface>(op))
    return OpForm::SegmentSum;
  if (auto movement = dyn_cast<MovementOpInterface>(op))
    return getMovementForm(movement);
  if (op->hasTrait<OrdersOnly>())
    return OpForm::View;
  mlir::DenseElementsAttr constant;
  if (mlir::matchPattern(op, mlir::m_Constant(&constant)) && constant.isSplat())
    return OpForm::Splat;
  return OpForm::Outside;
}

bool graph::isAddressedApart(OpForm form, unsigned number) {
  return number == 0 && (form == OpForm::Slice || form == OpForm::Gather);
}

bool graph::isFusible(Operation *op) {
  OpForm form = getOpForm(op);
  return form == OpForm::Pointwise || form == OpForm::Reduction;
}

// The end of a body is none: what it yields is stored at once, for the next
// step.
bool graph::isFence(Operation *op) {
  OpForm form = getOpForm(op);
  return form == OpForm::Library ||
         (form == OpForm::Outside && op->getNumOperands() > 0 &&
          !isa<YieldOp>(op));
}

bool graph::isMadeInKernel(Operation *op) {
  OpForm form = getOpForm(op);
  return form == OpForm::Splat || form == OpForm::Index;
}

bool graph::isWidening(Operation *op) {
  if (getOpForm(op) != OpForm::Pointwise || op->hasTrait<CostlyBody>() ||
      op->getNumResults() != 1)
    return false;
  int64_t read = 0;
  for (Value operand : op->getOperands())
    read += getStoredBytes(cast<RankedTensorType>(operand.getType()));
  return read <
         getStoredBytes(cast<RankedTensorType>(op->getResult(0).getType()));
}

OpIndexing graph::getOpIndexing(Operation *op) {
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return indexReduction(reduction);
  if (auto movement = dyn_cast<MovementOpInterface>(op))
    return indexMovement(movement);
  OpIndexing indexing;
  indexing.result = addDims(indexing, shapeOf(op->getResult(0)));
  for (Value operand : op->getOperands())
    indexing.operands.push_back(alignRight(shapeOf(operand), indexing.result));
  return indexing;
}

bool graph::foldsFloats(Operation *op) {
  if (!isa<ReductionOpInterface>(op) ||
      !isa<FloatType>(mlir::getElementTypeOrSelf(op->getResult(0))))
    return false;
  OpIndexing indexing = getOpIndexing(op);
  return indexing.rowsPerPart || llvm::is_contained(indexing.reduced, true);
}

SmallVector<int64_t> graph::getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}
