// Dims that follow the batch, through ops that move elements: by where each
// element of the result comes from.
#include "BatchSolver.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult BatchSolver::visitMovement(MovementOpInterface op) {
  if (!anyFollows(op))
    return success();
  Movement movement = op.getMovement();
  switch (movement.kind) {
  case Movement::Kind::Strided:
  case Movement::Kind::Window:
    return visitStrided(op, movement);
  case Movement::Kind::Reshape:
    return visitReshape(op);
  case Movement::Kind::InsertSlices:
    return visitPlace(op, movement);
  case Movement::Kind::Gather:
    return visitGather(op, movement);
  case Movement::Kind::Index:
    return success();
  }
  llvm_unreachable("all kinds are listed");
}

/// Whether dim `dim` of the operand is read in its order, from the first.
static bool isInOrder(const Movement &movement, int64_t dim) {
  return movement.kind != Movement::Kind::Window ||
         (movement.offsets[dim] == 0 && movement.getStep(dim) == 1 &&
          movement.spread[dim] == 1);
}

/// Each dim that follows is read whole, by some dim of the result.
LogicalResult BatchSolver::visitStrided(Operation *op,
                                        const Movement &movement) {
  Value from = op->getOperand(0), to = op->getResult(0);
  ArrayRef<int64_t> shape = staticShape(from), sizes = staticShape(to);
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim) {
    if (!facts.follows(from, dim))
      continue;
    bool isRead = false;
    for (auto [index, source] : llvm::enumerate(movement.dims)) {
      if (source != dim)
        continue;
      if (!isInOrder(movement, dim))
        return op->emitOpError("expected to take samples in their order, but "
                               "moves them along dim ")
               << dim;
      if (sizes[index] != shape[dim])
        return op->emitOpError("expected to take all samples, whatever the "
                               "batch size is, but takes ")
               << sizes[index] << " of " << shape[dim] << " along dim " << dim;
      isRead = true;
      set(to, index);
    }
    if (!isRead)
      return op->emitOpError("expected to keep dim ")
             << dim << ", along which samples lie, but repeats its one "
             << "element or leaves it out";
  }
  return success();
}

/// Samples lie along dims of the indices, or of what is not indexed.
LogicalResult BatchSolver::visitGather(Operation *op,
                                       const Movement &movement) {
  Value from = op->getOperand(0), indices = op->getOperand(1),
        to = op->getResult(0);
  if (facts.follows(from, movement.indexedDim))
    return op->emitOpError("expected to gather the same whatever the batch "
                           "size is, but samples lie along dim ")
           << movement.indexedDim << ", which the indices run along";
  for (auto [dim, source] : llvm::enumerate(movement.dims))
    if (source >= 0 && facts.follows(from, source))
      set(to, dim);
  for (int64_t dim = 0, e = staticShape(indices).size(); dim < e; ++dim)
    if (facts.follows(indices, dim))
      set(to, movement.indexedDim + dim);
  return success();
}

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// The dim of `to` in which samples lie as they do in dim `dim` of `from`: with
/// as many elements before it, and a multiple of the batch long. In a model of
/// one sample several may be; in the outermost nothing else is mixed with them.
static std::optional<int64_t> findReshaped(ArrayRef<int64_t> from, int64_t dim,
                                           ArrayRef<int64_t> to,
                                           int64_t batch) {
  for (int64_t i = 0, e = to.size(); i < e; ++i)
    if (product(to.take_front(i)) == product(from.take_front(dim)) &&
        to[i] % batch == 0)
      return i;
  return std::nullopt;
}

/// In row-major order the elements of a sample stay together.
LogicalResult BatchSolver::visitReshape(Operation *op) {
  Value from = op->getOperand(0), to = op->getResult(0);
  ArrayRef<int64_t> shape = staticShape(from), sizes = staticShape(to);
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim) {
    if (!facts.follows(from, dim))
      continue;
    auto place = findReshaped(shape, dim, sizes, facts.batch);
    if (!place)
      return op->emitOpError("expected a dim of the result that begins where "
                             "dim ")
             << dim << " of the operand does and holds whole samples of a "
             << "batch of " << facts.batch << ", but got " << toString(shape)
             << " and " << toString(sizes);
    set(to, *place);
  }
  return success();
}

/// Nothing is laid before or after samples, and what is laid beside them has
/// as many.
LogicalResult BatchSolver::visitPlace(Operation *op, const Movement &movement) {
  Value to = op->getResult(0);
  ArrayRef<int64_t> sizes = staticShape(to);
  for (int64_t dim = 0, e = sizes.size(); dim < e; ++dim) {
    auto follows = [&](Value operand) { return facts.follows(operand, dim); };
    if (llvm::none_of(op->getOperands(), follows))
      continue;
    for (auto [operand, place] :
         llvm::zip(op->getOperands(), movement.insertions)) {
      if (place[dim] != 0 || staticShape(operand)[dim] != sizes[dim])
        return op->emitOpError("expected nothing before or after the samples, "
                               "which lie along dim ")
               << dim << ", but operand and result have "
               << staticShape(operand)[dim] << " and " << sizes[dim];
      if (!demand(operand, dim, op))
        return refuseOperands(op);
    }
    set(to, dim);
  }
  return success();
}
