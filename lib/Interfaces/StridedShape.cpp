#include "mpc/Interfaces/StridedShape.h"
#include "llvm/ADT/STLExtras.h"

#include "mpc/Interfaces/StridedShape.cpp.inc"

using namespace mpc;

StridedShape mpc::getDenseShape(ArrayRef<int64_t> shape) {
  StridedShape dense;
  dense.shape.assign(shape.begin(), shape.end());
  dense.strides.assign(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    dense.strides[i - 1] = dense.strides[i] * shape[i];
  return dense;
}

static StridedShape gather(const StridedShape &operand,
                           const Movement &movement, ArrayRef<int64_t> result) {
  StridedShape moved;
  moved.shape.assign(result.begin(), result.end());
  for (int64_t dim : movement.dims)
    moved.strides.push_back(
        dim < 0 ? 0 : operand.strides[dim] * movement.getStep(dim));
  moved.offset = operand.offset;
  for (auto [first, stride] :
       llvm::zip_equal(movement.offsets, operand.strides))
    moved.offset += first * stride;
  return moved;
}

/// Walks the dims of both shapes from the last one: some dims of the result
/// have as many elements as some of the operand, which must be one dim then.
static std::optional<StridedShape> reshape(const StridedShape &operand,
                                           ArrayRef<int64_t> result) {
  StridedShape moved;
  if (llvm::is_contained(result, 0))
    return std::nullopt;
  moved.shape.assign(result.begin(), result.end());
  moved.strides.assign(result.size(), 1);
  moved.offset = operand.offset;
  size_t to = result.size(), from = operand.shape.size();
  while (from > 0) {
    // One run of dims of the operand without gaps, with as many elements as
    // the dims of the result that it becomes.
    int64_t elements = operand.shape[--from], taken = 1;
    int64_t stride = operand.strides[from];
    if (elements == 1)
      continue;
    while (true) {
      while (to > 0 && taken * result[to - 1] <= elements) {
        --to;
        moved.strides[to] = stride * taken;
        taken *= result[to];
      }
      if (taken == elements)
        break;
      do {
        if (from == 0)
          return std::nullopt;
        --from;
      } while (operand.shape[from] == 1);
      if (operand.strides[from] != stride * elements)
        return std::nullopt;
      elements *= operand.shape[from];
    }
  }
  return moved;
}

std::optional<StridedShape> mpc::moveInPlace(const StridedShape &operand,
                                             const Movement &movement,
                                             ArrayRef<int64_t> result) {
  switch (movement.kind) {
  case Movement::Kind::Strided:
    return gather(operand, movement, result);
  case Movement::Kind::Reshape:
    return reshape(operand, result);
  case Movement::Kind::InsertSlices:
  case Movement::Kind::Gather:
  case Movement::Kind::Window:
  case Movement::Kind::Index:
    break;
  }
  return std::nullopt;
}

/// Of a transpose, or of dims of 1 that come and go.
static std::optional<StridedShape> scatter(const StridedShape &result,
                                           const Movement &movement,
                                           ArrayRef<int64_t> operand) {
  StridedShape moved;
  moved.shape.assign(operand.begin(), operand.end());
  moved.strides.assign(operand.size(), 1);
  moved.offset = result.offset;
  SmallVector<bool> isNamed(operand.size());
  for (auto [dim, size, stride] :
       llvm::zip_equal(movement.dims, result.shape, result.strides)) {
    if (size == 1)
      continue;
    if (dim < 0 || isNamed[dim] || operand[dim] != size)
      return std::nullopt;
    isNamed[dim] = true;
    moved.strides[dim] = stride;
  }
  for (auto [size, named] : llvm::zip_equal(operand, isNamed))
    if (size != 1 && !named)
      return std::nullopt;
  return moved;
}

std::optional<StridedShape> mpc::moveBack(const StridedShape &result,
                                          const Movement &movement,
                                          unsigned number,
                                          ArrayRef<int64_t> operand) {
  switch (movement.kind) {
  case Movement::Kind::Strided:
    return scatter(result, movement, operand);
  case Movement::Kind::Reshape:
    return reshape(result, operand);
  case Movement::Kind::InsertSlices: {
    StridedShape moved{SmallVector<int64_t>(operand), result.strides,
                       result.offset};
    for (auto [first, stride] :
         llvm::zip_equal(movement.insertions[number], result.strides))
      moved.offset += first * stride;
    return moved;
  }
  case Movement::Kind::Gather:
  case Movement::Kind::Window:
  case Movement::Kind::Index:
    break;
  }
  return std::nullopt;
}
