// Where elements lie: nothing is computed here but shapes.
#include "../Tables.h"
#include "../Targets.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mpc;
using namespace mpc::onnx;
namespace expr = mpc::graph::expr;

template <FailureOr<Shape> (*Read)(Node &, ArrayRef<int64_t>)>
static LogicalResult convertReshape(Node &n) {
  Expr x = n.value(0);
  if (!x)
    return failure();
  FailureOr<Shape> shape = Read(n, x.shape());
  return failed(shape) ? failure() : n.set(0, n.reshape(x, *shape));
}

static LogicalResult convertTranspose(Node &n) {
  Expr x = n.value(0);
  FailureOr<Shape> permutation = readPermutation(n, n.rank(0));
  return failed(permutation) ? failure()
                             : n.set(0, n.transpose(x, *permutation));
}

static LogicalResult convertExpand(Node &n) {
  Expr x = n.value(0);
  if (!x)
    return failure();
  FailureOr<Shape> shape = readExpand(n, x.shape());
  if (failed(shape))
    return failure();
  if (llvm::any_of(*shape, [](int64_t size) { return size < 1; }))
    return n.refuse("expected sizes above 0");
  return n.set(0, n.broadcast(x, *shape));
}

static LogicalResult convertTile(Node &n) {
  FailureOr<Shape> repeats = n.needInts(1, "the repeats");
  if (failed(repeats))
    return failure();
  return n.set(0, n.op("tile", {n.value(0)}, {{"repeats", n.ints(*repeats)}}));
}

static LogicalResult convertConcat(Node &n) {
  FailureOr<int64_t> axis = n.axis("axis", 0, n.rank(0));
  SmallVector<Value> parts;
  for (size_t i = 0; i < n.numInputs(); ++i) {
    auto count = countElements(n.shape(i));
    if (count && *count == 0)
      continue; // as when nothing was there
    Expr part = n.value(i);
    if (failed(axis) || !part)
      return failure();
    parts.push_back(part);
  }
  if (parts.empty())
    return n.refuse("expected an operand with elements");
  return n.set(0, n.concat(parts, *axis));
}

/// Sizes of the parts along a dim of `size`: as given, or as even as they may.
static FailureOr<Shape> splitSizes(Node &n, int64_t size) {
  std::optional<Shape> given = n.integers("split");
  int64_t parts = n.integer("num_outputs", n.numOutputs());
  if (!given && n.has(1)) {
    FailureOr<Shape> known = n.needInts(1, "the sizes of the parts");
    if (failed(known))
      return failure();
    given = *known;
  }
  if (given)
    return *given;
  if (parts < 1 || parts > size || parts != int64_t(n.numOutputs()))
    return n.refuse(
        "expected an output for each part, and at most as many as elements");
  int64_t each = (size + parts - 1) / parts;
  Shape sizes(parts, each);
  sizes.back() = size - each * (parts - 1);
  return sizes;
}

/// The parts of what is known are known, too: a shape is split into its sizes.
static LogicalResult splitKnown(Node &n, int64_t axis,
                                ArrayRef<int64_t> sizes) {
  ConstantPtr x = n.constant(0);
  if (!x)
    return failure();
  int64_t left = x->shape[axis];
  for (int64_t size : sizes)
    left = size < 0 || size > left ? -1 : left - size;
  if (left != 0)
    return n.refuse("expected sizes of parts whose sum is that of the axis");
  int64_t inner = stridesOf(x->shape)[axis], begin = 0;
  for (auto [part, size] : llvm::enumerate(sizes)) {
    Shape shape(x->shape);
    shape[axis] = size;
    Constant made(x->type, shape);
    int64_t width = size * inner, step = x->shape[axis] * inner;
    for (int64_t i = 0; i < made.size(); ++i)
      made.copy(i, *x, i / width * step + begin + i % width);
    begin += width;
    if (failed(n.set(part, std::move(made))))
      return failure();
  }
  return success();
}

static LogicalResult convertSplit(Node &n) {
  FailureOr<int64_t> axis = n.axis("axis", 0, n.rank(0));
  if (failed(axis))
    return failure();
  FailureOr<Shape> sizes = splitSizes(n, n.shape(0)[*axis]);
  if (failed(sizes))
    return failure();
  if (sizes->size() != n.numOutputs())
    return n.refuse("expected an output for each part");
  if (n.entry(0).isKnown())
    return splitKnown(n, *axis, *sizes);
  Expr x = n.value(0);
  if (!x)
    return failure();
  Operation *parts = n.make(
      "split", {x}, {{"dim", n.integerAttr(*axis)}, {"sizes", n.ints(*sizes)}});
  for (size_t i = 0; parts && i < sizes->size(); ++i)
    if (failed(n.set(i, Value(parts->getResult(i)))))
      return failure();
  return success(parts != nullptr);
}

static LogicalResult convertSlice(Node &n) {
  Expr x = n.value(0);
  if (!x)
    return failure();
  FailureOr<SliceRange> range = readSlice(n, x.shape());
  if (failed(range))
    return failure();
  Shape flips;
  for (int64_t dim = 0; dim < x.rank(); ++dim) {
    if (range->sizes[dim] == 0)
      return n.refuse("the slice has no elements");
    if (range->steps[dim] > 0)
      continue;
    flips.push_back(dim);
    range->starts[dim] = x.shape()[dim] - 1 - range->starts[dim];
    range->steps[dim] = -range->steps[dim];
  }
  Expr turned =
      flips.empty() ? x : n.op("flip", {x}, {{"dims", n.ints(flips)}});
  return n.set(0, n.slice(turned, range->starts, range->sizes, range->steps));
}

/// A frame of `value` around x; null where zeros are meant.
static Expr padConstant(Node &n, Expr x, ArrayRef<int64_t> low,
                        ArrayRef<int64_t> high, ConstantPtr value) {
  auto pad = [&](Expr inner) {
    return n.op("pad", {inner}, {{"low", n.ints(low)}, {"high", n.ints(high)}});
  };
  Expr padded = pad(x);
  if (!padded || !value || (value->size() == 1 && value->real(0) == 0))
    return padded;
  if (value->size() != 1 || value->type != dataTypeOf(x.elementType())) {
    (void)n.refuse("expected one padding value of the operand's type");
    return {};
  }
  Constant inside(::onnx::TensorProto::BOOL, {});
  inside.ints[0] = 1;
  Expr mask = pad(n.broadcast(n.constantValue(inside), x.shape()));
  Constant scalar = *value;
  scalar.shape.clear();
  return n.select(mask, padded, n.constantValue(scalar));
}

static FailureOr<Shape> readPads(Node &n, int64_t rank) {
  std::optional<Shape> attribute = n.integers("pads");
  FailureOr<Shape> pads = attribute ? *attribute : n.needInts(1, "the pads");
  if (failed(pads))
    return failure();
  Shape axes;
  if (n.has(3)) {
    FailureOr<Shape> given = n.needInts(3, "the axes");
    if (failed(given))
      return failure();
    axes = *given;
  } else {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (pads->size() != 2 * axes.size())
    return n.refuse("expected two pads for each axis");
  Shape all(2 * rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    FailureOr<int64_t> dim = n.normalize(axes[i], rank);
    if (failed(dim))
      return failure();
    all[*dim] = (*pads)[i];
    all[*dim + rank] = (*pads)[axes.size() + i];
  }
  return all;
}

static LogicalResult convertPad(Node &n) {
  std::string mode = n.text("mode", "constant");
  Expr x = n.value(0);
  if (!x)
    return failure();
  FailureOr<Shape> pads = readPads(n, x.rank());
  if (failed(pads))
    return failure();
  ConstantPtr value;
  if (n.hasAttribute("value")) {
    value = std::make_shared<const Constant>(
        Constant::scalar(dataTypeOf(x.elementType()), n.real("value", 0)));
  } else if (n.has(2) && !(value = n.needConstant(2, "the padding value"))) {
    return failure();
  }
  Shape offsets(x.rank(), 0), sizes(x.shape()), low(x.rank()), high(x.rank());
  for (int64_t dim = 0; dim < x.rank(); ++dim) { // negative pads cut off
    int64_t before = (*pads)[dim], behind = (*pads)[dim + x.rank()];
    if (std::max(before, behind) > INT32_MAX ||
        std::min(before, behind) < -INT32_MAX)
      return n.refuse("expected pads of less than 2^31");
    offsets[dim] = std::max<int64_t>(0, -before);
    sizes[dim] += std::min<int64_t>(0, before) + std::min<int64_t>(0, behind);
    low[dim] = std::max<int64_t>(0, before);
    high[dim] = std::max<int64_t>(0, behind);
  }
  Expr inner = n.slice(x, offsets, sizes);
  if (mode == "constant")
    return n.set(0, inner ? padConstant(n, inner, low, high, value) : inner);
  StringRef op = mode == "reflect" ? "reflection_pad"
                 : mode == "edge"  ? "replication_pad"
                 : mode == "wrap"  ? "circular_pad"
                                   : "";
  if (op.empty())
    return n.refuse("unknown mode '" + mode + "'");
  return n.set(
      0, n.op(op, {inner}, {{"low", n.ints(low)}, {"high", n.ints(high)}}));
}

static LogicalResult convertCenterCropPad(Node &n) {
  Expr x = n.value(0);
  FailureOr<Shape> target = n.needInts(1, "the shape");
  if (!x || failed(target))
    return failure();
  Shape dims = expr::dimsFrom(0, x.rank());
  if (std::optional<Shape> axes = n.integers("axes")) {
    FailureOr<Shape> given = n.normalizeInOrder(*axes, x.rank());
    if (failed(given))
      return failure();
    dims = *given;
  }
  if (dims.size() != target->size())
    return n.refuse("expected a size for each axis");
  Shape offsets(x.rank(), 0), sizes(x.shape()), low(x.rank(), 0),
      high(x.rank(), 0);
  for (auto [dim, size] : llvm::zip(dims, *target)) {
    int64_t more = size - x.shape()[dim];
    offsets[dim] = more < 0 ? -more / 2 : 0;
    sizes[dim] = std::min(size, x.shape()[dim]);
    low[dim] = more > 0 ? more / 2 : 0;
    high[dim] = more > 0 ? more - more / 2 : 0;
  }
  return n.set(0,
               padConstant(n, n.slice(x, offsets, sizes), low, high, nullptr));
}

static LogicalResult convertShape(Node &n) {
  Shape shape = n.shape(0);
  int64_t rank = shape.size();
  auto place = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = place(n.integer("start", 0)),
          end = place(n.integer("end", rank));
  if (n.has(0) && n.entry(0).sequence)
    return n.refuse("expected a tensor, but got a sequence");
  ArrayRef<int64_t> part(shape);
  return n.set(0, Constant::ofInts(
                      part.slice(start, std::max<int64_t>(0, end - start))));
}

static LogicalResult convertEyeLike(Node &n) {
  Shape shape = n.shape(0);
  int type = int(n.integer("dtype", n.dataType(0)));
  int64_t k = n.integer("k", 0);
  auto count = countElements(shape);
  if (shape.size() != 2 || !bytesOf(type) || !count || *count > kMostElements)
    return n.refuse("expected a matrix of numbers");
  Constant eye(type, shape);
  for (int64_t row = 0; row < shape[0]; ++row)
    if (k > -shape[0] && k < shape[1] && row + k >= 0 && row + k < shape[1])
      eye.setInt(row * shape[1] + row + k, 1);
  return n.set(0, std::move(eye));
}

static LogicalResult convertSize(Node &n) {
  Constant size(::onnx::TensorProto::INT64, {});
  size.ints[0] = countElements(n.shape(0)).value_or(0);
  return n.set(0, std::move(size));
}

static LogicalResult convertDepthToSpace(Node &n) {
  std::string mode = n.text("mode", "DCR");
  bool isBlocksFirst = mode == "DCR";
  if (!isBlocksFirst && mode != "CRD")
    return n.refuse("unknown mode '" + mode + "'");
  return n.set(
      0, n.op("pixel_shuffle", {n.value(0)},
              {{"factor", n.integerAttr(n.integer("blocksize", 1))},
               {"blocks_first", isBlocksFirst ? n.unit() : Attribute()}}));
}

static LogicalResult convertSpaceToDepth(Node &n) {
  return n.set(0, n.op("pixel_unshuffle", {n.value(0)},
                       {{"factor", n.integerAttr(n.integer("blocksize", 1))},
                        {"blocks_first", n.unit()}}));
}

static LogicalResult convertTrilu(Node &n) {
  int64_t diagonal = 0;
  if (n.has(1)) {
    FailureOr<Shape> k = n.needInts(1, "the diagonal");
    if (failed(k) || k->size() != 1)
      return n.refuse("expected one diagonal");
    diagonal = k->front();
  }
  return n.set(0, n.op(n.integer("upper", 1) ? "triu" : "tril", {n.value(0)},
                       {{"diagonal", n.integerAttr(diagonal)}}));
}

ArrayRef<Converter> mpc::onnx::shapeConverters() {
  static constexpr Converter rows[] = {
      {"CenterCropPad", 18, convertCenterCropPad},
      {"Concat", 4, convertConcat},
      {"DepthToSpace", 1, convertDepthToSpace},
      {"Expand", 8, convertExpand},
      {"EyeLike", 9, convertEyeLike},
      {"Flatten", 1, convertReshape<readFlatten>},
      {"Pad", 2, convertPad},
      {"Reshape", 5, convertReshape<readReshape>},
      {"Shape", 1, convertShape},
      {"Size", 1, convertSize},
      {"Slice", 1, convertSlice},
      {"SpaceToDepth", 1, convertSpaceToDepth},
      {"Split", 2, convertSplit},
      {"Squeeze", 1, convertReshape<readSqueeze>},
      {"Tile", 6, convertTile},
      {"Transpose", 1, convertTranspose},
      {"Trilu", 14, convertTrilu},
      {"Unsqueeze", 1, convertReshape<readUnsqueeze>}};
  return rows;
}
