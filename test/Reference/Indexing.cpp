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

/// Calls `visit` with the place of each index and that of the element which it
/// names along `dim` of `shape`, or nothing if there is none.
template <typename Visit>
static void forEachNamed(const Tensor &indices, const Shape &shape, size_t dim,
                         Visit visit) {
  for (size_t i = 0; i < indices.size(); ++i) {
    size_t rest = i, place = 0, stride = 1;
    bool isInside = true;
    for (size_t d = shape.size(); d-- > 0;) {
      auto at = int64_t(rest % size_t(indices.shape[d]));
      rest /= size_t(indices.shape[d]);
      if (d == dim) {
        at = indices.ints[i];
        isInside = at >= 0 && at < shape[d];
      }
      place += isInside ? size_t(at) * stride : 0;
      stride *= size_t(shape[d]);
    }
    visit(i, isInside ? std::optional(place) : std::nullopt);
  }
}

static Answer gatherElements(size_t dim, Operands in, Results out) {
  const Tensor &from = *in[0];
  forEachNamed(
      *in[1], from.shape, dim, [&](size_t to, std::optional<size_t> source) {
        if (out[0].isFloat())
          out[0].reals[to] = source ? from.reals[*source] : std::nan("");
        else
          out[0].ints[to] =
              source ? from.ints[*source] : smallestOf(out[0].type);
      });
  return success();
}

static Answer scatterAdd(size_t dim, Operands in, Results out) {
  const Tensor &updates = *in[2];
  out[0].reals = in[0]->reals;
  out[0].ints = in[0]->ints;
  forEachNamed(
      *in[1], out[0].shape, dim, [&](size_t source, std::optional<size_t> to) {
        if (to && out[0].isFloat())
          out[0].reals[*to] += updates.reals[source];
        else if (to)
          out[0].ints[*to] =
              wrapTo(out[0].type, out[0].ints[*to] + updates.ints[source]);
      });
  return success();
}

static Answer oneHot(Operands in, Results out) {
  auto depth = static_cast<size_t>(out[0].shape.back());
  for (size_t i = 0; i < out[0].size(); ++i) {
    bool isNamed = in[0]->ints[i / depth] == int64_t(i % depth);
    if (out[0].isFloat())
      out[0].reals[i] = isNamed ? 1 : 0;
    else
      out[0].ints[i] = isNamed ? 1 : 0;
  }
  return success();
}

/// The elements where `keeps` is true of column minus row.
template <typename Keeps>
static Answer triangle(Operands in, Results out, Keeps keeps) {
  auto columns = in[0]->shape.back(), rows = in[0]->shape.end()[-2];
  out[0].reals = in[0]->reals;
  out[0].ints = in[0]->ints;
  for (size_t i = 0; i < out[0].size(); ++i) {
    int64_t column = int64_t(i) % columns, row = int64_t(i) / columns % rows;
    if (keeps(column - row))
      continue;
    if (out[0].isFloat())
      out[0].reals[i] = 0;
    else
      out[0].ints[i] = 0;
  }
  return success();
}

Answer reference::evaluateIndexing(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::GatherOp>(
          [&](auto op) { return gather(op.getDim(), in, out); })
      .Case<graph::SegmentSumOp>(
          [&](auto op) { return sumSegments(op, in, out); })
      .Case<graph::GatherElementsOp>(
          [&](auto op) { return gatherElements(op.getDim(), in, out); })
      .Case<graph::ScatterAddOp>(
          [&](auto op) { return scatterAdd(op.getDim(), in, out); })
      .Case<graph::OneHotOp>([&](auto) { return oneHot(in, out); })
      .Case<graph::TrilOp>([&](auto op) {
        int64_t last = op.getDiagonal();
        return triangle(in, out, [=](int64_t d) { return d <= last; });
      })
      .Case<graph::TriuOp>([&](auto op) {
        int64_t first = op.getDiagonal();
        return triangle(in, out, [=](int64_t d) { return d >= first; });
      })
      .Default([](Operation *) { return std::nullopt; });
}
