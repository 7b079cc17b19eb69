#include "Fold.h"

using namespace mpc;
using namespace mpc::onnx;
using ::onnx::TensorProto;

/// `index` in [0, size), counted from the end if it is negative; refuses
/// others.
static std::optional<int64_t> place(Node &n, int64_t index, int64_t size) {
  if (index >= -size && index < size)
    return index < 0 ? index + size : index;
  (void)n.refuse("expected indices of a dim of " + Twine(size) +
                 " elements, but got " + Twine(index));
  return std::nullopt;
}

static bool areInts(Node &n, const Constant &indices) {
  if (indices.isFloat())
    (void)n.refuse("expected indices of integers");
  return !indices.isFloat();
}

static std::optional<Constant> gather(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 2) || !areInts(n, *operands[1]))
    return std::nullopt;
  const Constant &x = *operands[0], &indices = *operands[1];
  FailureOr<int64_t> axis = n.axis("axis", 0, x.rank());
  if (failed(axis))
    return std::nullopt;
  Shape shape(x.shape.begin(), x.shape.begin() + *axis);
  int64_t outer = 1, inner = 1, size = x.shape[*axis], at = 0;
  for (int64_t dim : shape)
    outer *= dim;
  shape.append(indices.shape);
  for (int64_t dim = *axis + 1; dim < x.rank(); ++dim) {
    shape.push_back(x.shape[dim]);
    inner *= x.shape[dim];
  }
  auto made = makeConstant(n, x.type, shape);
  if (!made || made->size() == 0)
    return made;
  for (int64_t row = 0; row < outer; ++row)
    for (int64_t given : indices.ints) {
      auto index = place(n, given, size);
      if (!index)
        return std::nullopt;
      for (int64_t i = 0; i < inner; ++i)
        made->copy(at++, x, (row * size + *index) * inner + i);
    }
  return made;
}

static std::optional<Constant> gatherTuples(Node &n, Operands operands) {
  int64_t batch = n.integer("batch_dims", 0);
  if (!hasOperands(n, operands, 2) || !areInts(n, *operands[1]))
    return std::nullopt;
  const Constant &x = *operands[0], &indices = *operands[1];
  int64_t depth = indices.rank() ? indices.shape.back() : 0;
  if (batch != 0 || depth < 1 || depth > x.rank()) {
    (void)n.refuse("expected tuples that index the first dims");
    return std::nullopt;
  }
  Shape shape(indices.shape.begin(), indices.shape.end() - 1);
  Shape strides = stridesOf(x.shape);
  int64_t width = strides[depth - 1], at = 0;
  shape.append(x.shape.begin() + depth, x.shape.end());
  auto made = makeConstant(n, x.type, shape);
  if (!made || made->size() == 0)
    return made;
  for (int64_t tuple = 0; tuple < indices.size() / depth; ++tuple) {
    int64_t from = 0;
    for (int64_t dim = 0; dim < depth; ++dim) {
      auto index = place(n, indices.ints[tuple * depth + dim], x.shape[dim]);
      if (!index)
        return std::nullopt;
      from += *index * strides[dim];
    }
    for (int64_t i = 0; i < width; ++i)
      made->copy(at++, x, from + i);
  }
  return made;
}

static std::optional<Constant> nonZero(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 1))
    return std::nullopt;
  const Constant &x = *operands[0];
  std::vector<int64_t> found;
  for (int64_t i = 0; i < x.size(); ++i)
    if (x.real(i) != 0)
      found.push_back(i);
  Shape strides = stridesOf(x.shape);
  auto count = int64_t(found.size());
  Constant made(TensorProto::INT64, {x.rank(), count});
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    for (int64_t i = 0; i < count; ++i)
      made.ints[dim * count + i] = found[i] / strides[dim] % x.shape[dim];
  return made;
}

ArrayRef<Evaluator> mpc::onnx::indexingEvaluators() {
  static constexpr Evaluator rows[] = {
      {"Gather", gather}, {"GatherND", gatherTuples}, {"NonZero", nonZero}};
  return rows;
}
