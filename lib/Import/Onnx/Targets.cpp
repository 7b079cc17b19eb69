#include "Targets.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mpc;
using namespace mpc::onnx;

FailureOr<Shape> mpc::onnx::readReshape(Node &n, ArrayRef<int64_t> shape) {
  bool allowsZero = n.integer("allowzero", 0) != 0;
  FailureOr<Shape> target = n.needInts(1, "the shape");
  auto count = countElements(shape);
  if (failed(target) || !count)
    return failure();
  int64_t known = 1, open = -1;
  for (size_t dim = 0; dim < target->size(); ++dim) {
    int64_t &size = (*target)[dim];
    if (size == 0 && !allowsZero && dim < shape.size())
      size = shape[dim];
    if (size == -1 && open < 0)
      open = int64_t(dim);
    else if (size < 0 || __builtin_mul_overflow(known, size, &known))
      return n.refuse("expected a shape of sizes with one -1 at most");
  }
  if (open >= 0)
    (*target)[open] = known ? *count / known : 0;
  if (countElements(*target) != count)
    return n.refuse("expected a shape of as many elements as the operand has");
  return target;
}

FailureOr<Shape> mpc::onnx::readFlatten(Node &n, ArrayRef<int64_t> shape) {
  int64_t axis = n.integer("axis", 1), rank = shape.size();
  if (axis < -rank || axis > rank)
    return n.refuse("axis " + Twine(axis) + " is not one of its dims");
  axis += axis < 0 ? rank : 0;
  Shape target = {1, 1};
  for (auto [dim, size] : llvm::enumerate(shape))
    target[int64_t(dim) < axis ? 0 : 1] *= size;
  return target;
}

FailureOr<Shape> mpc::onnx::readSqueeze(Node &n, ArrayRef<int64_t> shape) {
  FailureOr<std::optional<Shape>> axes = n.sortedAxes(1, shape.size());
  if (failed(axes))
    return failure();
  Shape target;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    bool isNamed = *axes && llvm::is_contained(**axes, int64_t(dim));
    if (isNamed && size != 1)
      return n.refuse("expected dims of size 1, but dim " + Twine(dim) +
                      " has " + Twine(size));
    if (*axes ? !isNamed : size != 1)
      target.push_back(size);
  }
  return target;
}

FailureOr<Shape> mpc::onnx::readUnsqueeze(Node &n, ArrayRef<int64_t> shape) {
  std::optional<Shape> given = n.integers("axes");
  FailureOr<Shape> axes = given ? *given : n.needInts(1, "the axes");
  if (failed(axes))
    return failure();
  auto rank = int64_t(shape.size() + axes->size());
  FailureOr<Shape> dims = n.normalizeSorted(*axes, rank);
  if (failed(dims))
    return failure();
  Shape target;
  const int64_t *next = shape.begin();
  for (int64_t dim = 0; dim < rank; ++dim)
    target.push_back(llvm::is_contained(*dims, dim) ? 1 : *next++);
  return target;
}

FailureOr<Shape> mpc::onnx::readExpand(Node &n, ArrayRef<int64_t> shape) {
  FailureOr<Shape> given = n.needInts(1, "the shape");
  if (failed(given))
    return failure();
  Shape target(std::max(shape.size(), given->size()), 1);
  for (ArrayRef<int64_t> one : {shape, ArrayRef<int64_t>(*given)})
    for (size_t i = 0; i < one.size(); ++i) {
      int64_t &size = target[target.size() - one.size() + i];
      if (one[i] < 0 || (size != 1 && one[i] != 1 && size != one[i]))
        return n.refuse("its shapes do not broadcast");
      size = size == 1 ? one[i] : size;
    }
  return target;
}

FailureOr<Shape> mpc::onnx::readPermutation(Node &n, int64_t rank) {
  Shape reversed(rank), all(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  std::iota(all.begin(), all.end(), 0);
  Shape given = n.integers("perm").value_or(reversed);
  if (!std::is_permutation(given.begin(), given.end(), all.begin(), all.end()))
    return n.refuse("expected a permutation of the dims");
  return given;
}

FailureOr<Shape> mpc::onnx::readReduced(Node &n, int64_t rank) {
  bool isNoop = n.integer("noop_with_empty_axes", 0) != 0;
  FailureOr<std::optional<Shape>> axes = n.sortedAxes(1, rank);
  if (failed(axes))
    return failure();
  if (*axes && !(*axes)->empty())
    return **axes;
  return isNoop ? Shape() : Shape(graph::expr::dimsFrom(0, rank));
}

namespace {
/// What a slice says of each of its axes.
struct Ranges {
  Shape starts, ends, axes, steps;
};
} // namespace

static FailureOr<Ranges> readRanges(Node &n, int64_t rank) {
  Ranges ranges;
  if (n.opset < 10) {
    ranges.starts = n.integers("starts").value_or(Shape());
    ranges.ends = n.integers("ends").value_or(Shape());
    ranges.axes = n.integers("axes").value_or(Shape());
  } else {
    FailureOr<Shape> starts = n.needInts(1, "the starts");
    FailureOr<Shape> ends = n.needInts(2, "the ends");
    FailureOr<Shape> axes = n.has(3) ? n.needInts(3, "the axes") : Shape();
    FailureOr<Shape> steps = n.has(4) ? n.needInts(4, "the steps") : Shape();
    if (failed(starts) || failed(ends) || failed(axes) || failed(steps))
      return failure();
    ranges = {*starts, *ends, *axes, *steps};
  }
  size_t count = ranges.starts.size();
  if (ranges.axes.empty())
    for (size_t i = 0; i < count; ++i)
      ranges.axes.push_back(int64_t(i));
  if (ranges.steps.empty())
    ranges.steps.assign(count, 1);
  if (ranges.ends.size() != count || ranges.axes.size() != count ||
      ranges.steps.size() != count || llvm::is_contained(ranges.steps, 0))
    return n.refuse("expected a start, an end and a step that is not 0 for "
                    "each axis");
  for (int64_t &axis : ranges.axes) {
    FailureOr<int64_t> dim = n.normalize(axis, rank);
    if (failed(dim))
      return failure();
    axis = *dim;
  }
  return ranges;
}

FailureOr<SliceRange> mpc::onnx::readSlice(Node &n, ArrayRef<int64_t> shape) {
  FailureOr<Ranges> ranges = readRanges(n, int64_t(shape.size()));
  if (failed(ranges))
    return failure();
  SliceRange range{Shape(shape.size(), 0), Shape(shape),
                   Shape(shape.size(), 1)};
  for (size_t i = 0; i < ranges->axes.size(); ++i) {
    int64_t dim = ranges->axes[i], size = shape[dim];
    bool isBack = ranges->steps[i] < 0;
    // As the standard clamps them, which for a backward start in front of
    // everything is not what NumPy does.
    auto place = [&](int64_t at, int64_t least) {
      if (at < 0)
        at = at < -size ? -1 : at + size;
      return std::max(std::min(at, isBack ? size - 1 : size), least);
    };
    int64_t start = place(ranges->starts[i], 0),
            end = place(ranges->ends[i], isBack ? -1 : 0);
    int64_t reach = isBack ? start - end : end - start;
    // A step beyond all is as good as one over all; INT64_MIN has no opposite.
    int64_t most = std::max<int64_t>(size, 1);
    int64_t step = std::clamp(ranges->steps[i], -most, most);
    range.starts[dim] = start;
    range.steps[dim] = step;
    range.sizes[dim] =
        reach <= 0 ? 0 : (reach + std::abs(step) - 1) / std::abs(step);
  }
  return range;
}
