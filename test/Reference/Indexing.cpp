// Family Indexing of the reference interpreter.
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"
#include "Reference/Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::reference;

/// Elements of `shape` from dim `begin` to dim `end`.
static int64_t countElements(const Shape &shape, size_t begin, size_t end) {
  int64_t count = 1;
  for (size_t dim = begin; dim < end; ++dim)
    count *= shape[dim];
  return count;
}

static int64_t smallestOf(DType type) {
  return type == DType::I1    ? 0
         : type == DType::I32 ? std::numeric_limits<int32_t>::min()
                              : std::numeric_limits<int64_t>::min();
}

/// As three dims: what stands before the indexed one, the indices, what stands
/// after it.
static Answer gather(size_t dim, Operands in, Results out) {
  const Tensor &from = *in[0], &indices = *in[1];
  int64_t before = countElements(from.shape, 0, dim), size = from.shape[dim],
          after = countElements(from.shape, dim + 1, from.shape.size());
  size_t to = 0;
  for (int64_t a = 0; a < before; ++a)
    for (int64_t index : indices.ints)
      for (int64_t b = 0; b < after; ++b, ++to) {
        bool isInside = 0 <= index && index < size;
        auto source = static_cast<size_t>((a * size + index) * after + b);
        if (out[0].isFloat())
          out[0].reals[to] = isInside ? from.reals[source] : std::nan("");
        else
          out[0].ints[to] =
              isInside ? from.ints[source] : smallestOf(out[0].type);
      }
  return success();
}

static Answer sumSegments(graph::SegmentSumOp op, Operands in, Results out) {
  const Tensor &from = *in[0], &indices = *in[1];
  size_t dim = op.getDim();
  int64_t before = countElements(from.shape, 0, dim), size = op.getSize(),
          after = countElements(from.shape, dim + indices.shape.size(),
                                from.shape.size());
  size_t source = 0;
  for (int64_t a = 0; a < before; ++a)
    for (int64_t index : indices.ints)
      for (int64_t b = 0; b < after; ++b, ++source) {
        if (index < 0 || index >= size || index == op.getIgnoredIndex())
          continue;
        auto to = static_cast<size_t>((a * size + index) * after + b);
        if (from.isFloat())
          out[0].reals[to] += from.reals[source];
        else
          out[0].ints[to] += from.ints[source];
      }
  return success();
}

Answer reference::evaluateIndexing(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::GatherOp>(
          [&](auto op) { return gather(op.getDim(), in, out); })
      .Case<graph::SegmentSumOp>(
          [&](auto op) { return sumSegments(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
