#include "../Targets.h"
#include "Fold.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::onnx;

template <FailureOr<Shape> (*Read)(Node &, ArrayRef<int64_t>)>
static std::optional<Constant> reshape(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 1))
    return std::nullopt;
  FailureOr<Shape> shape = Read(n, operands[0]->shape);
  if (failed(shape))
    return std::nullopt;
  Constant made = *operands[0];
  made.shape = *shape;
  return made;
}

/// Each element of a result of `shape` from the place that `from` says.
template <typename From>
static std::optional<Constant> copyAll(Node &n, const Constant &x,
                                       ArrayRef<int64_t> shape, From from) {
  auto made = makeConstant(n, x.type, shape);
  if (!made || made->size() == 0)
    return made;
  Shape index(shape.size(), 0);
  for (int64_t i = 0; i < made->size(); ++i, advance(index, shape))
    made->copy(i, x, from(index));
  return made;
}

static std::optional<Constant> transpose(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 1))
    return std::nullopt;
  const Constant &x = *operands[0];
  FailureOr<Shape> permutation = readPermutation(n, x.rank());
  if (failed(permutation))
    return std::nullopt;
  Shape strides = stridesOf(x.shape), shape;
  for (int64_t dim : *permutation)
    shape.push_back(x.shape[dim]);
  return copyAll(n, x, shape, [&](const Shape &index) {
    int64_t place = 0;
    for (size_t i = 0; i < index.size(); ++i)
      place += index[i] * strides[(*permutation)[i]];
    return place;
  });
}

static std::optional<Constant> expand(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 2))
    return std::nullopt;
  const Constant &x = *operands[0];
  FailureOr<Shape> shape = readExpand(n, x.shape);
  if (failed(shape))
    return std::nullopt;
  return copyAll(n, x, *shape,
                 [&](const Shape &index) { return placeIn(x.shape, index); });
}

static std::optional<Constant> slice(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 1))
    return std::nullopt;
  const Constant &x = *operands[0];
  FailureOr<SliceRange> range = readSlice(n, x.shape);
  if (failed(range))
    return std::nullopt;
  Shape strides = stridesOf(x.shape);
  return copyAll(n, x, range->sizes, [&](const Shape &index) {
    int64_t place = 0;
    for (size_t i = 0; i < index.size(); ++i)
      place += (range->starts[i] + index[i] * range->steps[i]) * strides[i];
    return place;
  });
}

static std::optional<Constant> tile(Node &n, Operands operands) {
  FailureOr<Shape> repeats = n.needInts(1, "the repeats");
  if (!hasOperands(n, operands, 2) || failed(repeats))
    return std::nullopt;
  const Constant &x = *operands[0];
  Shape shape(x.shape), strides = stridesOf(x.shape);
  for (size_t i = 0; i < shape.size(); ++i)
    if (repeats->size() != shape.size() || (*repeats)[i] < 0 ||
        __builtin_mul_overflow(shape[i], (*repeats)[i], &shape[i])) {
      (void)n.refuse("expected a number of repeats for each dim");
      return std::nullopt;
    }
  return copyAll(n, x, shape, [&](const Shape &index) {
    int64_t place = 0;
    for (size_t i = 0; i < index.size(); ++i)
      place += index[i] % x.shape[i] * strides[i];
    return place;
  });
}

static std::optional<Constant> concat(Node &n, Operands operands) {
  if (!hasOperands(n, operands, std::max<size_t>(1, operands.size())))
    return std::nullopt;
  FailureOr<int64_t> axis = n.axis("axis", 0, operands[0]->rank());
  if (failed(axis))
    return std::nullopt;
  Shape shape(operands[0]->shape);
  shape[*axis] = 0;
  for (const ConstantPtr &x : operands) {
    Shape other(x->shape);
    if (int64_t(other.size()) > *axis)
      other[*axis] = shape[*axis];
    if (other != shape || x->type != operands[0]->type) {
      (void)n.refuse("expected operands that differ in one dim alone");
      return std::nullopt;
    }
    shape[*axis] += x->shape[*axis];
  }
  auto made = makeConstant(n, operands[0]->type, shape);
  if (!made || made->size() == 0)
    return made;
  int64_t outer = 1, inner = 1, at = 0;
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
    (dim < *axis ? outer : inner) *= dim == *axis ? 1 : shape[dim];
  for (int64_t row = 0; row < outer; ++row)
    for (const ConstantPtr &x : operands) {
      int64_t width = x->shape[*axis] * inner;
      for (int64_t i = 0; i < width; ++i)
        made->copy(at++, *x, row * width + i);
    }
  return made;
}

static std::optional<Constant> triangle(Node &n, Operands operands) {
  bool isUpper = n.integer("upper", 1) != 0;
  if (!hasOperands(n, operands, 1))
    return std::nullopt;
  Constant made = *operands[0];
  int64_t rank = made.rank();
  int64_t k = operands.size() > 1 && operands[1] && operands[1]->size() == 1
                  ? operands[1]->integer(0)
                  : 0;
  if (rank < 2) {
    (void)n.refuse("expected matrices");
    return std::nullopt;
  }
  int64_t rows = made.shape[rank - 2], columns = made.shape[rank - 1];
  for (int64_t i = 0; i < made.size(); ++i) {
    int64_t row = i / columns % rows, column = i % columns;
    if (isUpper ? column - row < k : column - row > k)
      made.setInt(i, 0);
  }
  return made;
}

ArrayRef<Evaluator> mpc::onnx::shapeEvaluators() {
  static constexpr Evaluator rows[] = {{"Concat", concat},
                                       {"Expand", expand},
                                       {"Flatten", reshape<readFlatten>},
                                       {"Reshape", reshape<readReshape>},
                                       {"Slice", slice},
                                       {"Squeeze", reshape<readSqueeze>},
                                       {"Tile", tile},
                                       {"Transpose", transpose},
                                       {"Trilu", triangle},
                                       {"Unsqueeze", reshape<readUnsqueeze>}};
  return rows;
}
