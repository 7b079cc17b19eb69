// Elements that indices name.
#include "../Importer.h"
#include "../Tables.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::onnx;
namespace expr = mpc::graph::expr;

/// Indices of a dim of `size`, of which the negative ones count from its end.
static Expr fromStart(Node &n, Expr indices, int64_t size) {
  if (!indices)
    return {};
  return n.select(expr::less(indices, 0.0),
                  n.op("add", {indices, indices.integer(size)}), indices);
}

/// `known` with its negative indices counted from the start; refuses those
/// beside a dim of `size`.
static FailureOr<Constant> knownFromStart(Node &n, const Constant &known,
                                          int64_t size) {
  Constant made = known;
  for (int64_t &index : made.ints) {
    if (index < -size || index >= size)
      return n.refuse("expected indices of a dim of " + Twine(size) +
                      " elements, but got " + Twine(index));
    index += index < 0 ? size : 0;
  }
  return made;
}

/// A run of neighbours, which is a slice.
static bool isRun(const Constant &known) {
  for (int64_t i = 1; i < known.size(); ++i)
    if (known.ints[i] != known.ints[0] + i)
      return false;
  return known.rank() <= 1 && known.size() > 0;
}

static LogicalResult gatherKnown(Node &n, Expr x, int64_t axis,
                                 const Constant &indices) {
  if (!isRun(indices))
    return n.set(0, n.op("gather", {x, n.constantValue(indices)},
                         {{"dim", n.integerAttr(axis)}}));
  Shape offsets(x.rank(), 0), sizes(x.shape()), shape(x.shape());
  offsets[axis] = indices.ints[0];
  sizes[axis] = shape[axis] = indices.size();
  if (indices.rank() == 0)
    shape.erase(shape.begin() + axis);
  return n.set(0, n.reshape(n.slice(x, offsets, sizes), shape));
}

static LogicalResult convertGather(Node &n) {
  // Rows of a parameter are an embedding, whose indices PyTorch counts from 0:
  // as an input they are checked when the model runs. Others may count from the
  // end.
  bool isEmbedding =
      n.has(0) && n.entry(0).isWeight && n.importer.isFromTorch();
  Expr x = n.value(0);
  FailureOr<int64_t> axis = n.axis("axis", 0, n.rank(0));
  if (!x || failed(axis) || !n.has(1))
    return failure();
  if (n.entry(1).isKnown()) {
    ConstantPtr known = n.constant(1);
    if (!known || known->isFloat())
      return n.refuse("expected indices of integers");
    FailureOr<Constant> indices = knownFromStart(n, *known, x.shape()[*axis]);
    return failed(indices) ? failure() : gatherKnown(n, x, *axis, *indices);
  }
  Expr indices = n.value(1);
  if (!isEmbedding)
    indices = fromStart(n, indices, x.shape()[*axis]);
  return n.set(0,
               n.op("gather", {x, indices}, {{"dim", n.integerAttr(*axis)}}));
}

static LogicalResult convertGatherElements(Node &n) {
  Expr x = n.value(0);
  FailureOr<int64_t> axis = n.axis("axis", 0, n.rank(0));
  if (!x || failed(axis))
    return failure();
  Expr indices = fromStart(n, n.value(1), x.shape()[*axis]);
  return n.set(0, n.op("gather_elements", {x, indices},
                       {{"dim", n.integerAttr(*axis)}}));
}

namespace {
/// What tuples of indices name: elements of `x` made one dim of places, and a
/// second one of what lies at each.
struct Places {
  Expr indices;      ///< [tuples], of the first dim; -1 where there is none.
  int64_t count = 1; ///< Of places.
  int64_t width = 1; ///< Of what lies at each.
  Shape tuples;      ///< The dims of the tuples.
  Shape rest;        ///< The dims of what lies at each.
};
} // namespace

/// Whether an index is one of a dim of `size`, and `others` hold if there are
/// any: beside its dim it would name an element of another row.
static Expr alsoInside(Node &n, Expr others, Expr index, int64_t size) {
  if (!index)
    return {};
  Expr inside =
      n.op("logical_and", {n.compare("ge", index, index.integer(0)),
                           n.compare("lt", index, index.integer(size))});
  return others ? n.op("logical_and", {others, inside}) : inside;
}

/// The tuples in operand `i`, which index the dims of `shape` from `batch` on.
static FailureOr<Places> readPlaces(Node &n, size_t i, ArrayRef<int64_t> shape,
                                    int64_t batch) {
  Expr indices = n.value(i);
  if (!indices)
    return failure();
  int64_t rank = indices.rank(), depth = rank ? indices.shape().back() : 0;
  if (rank < 1 || batch < 0 || batch >= rank || depth < 1 ||
      batch + depth > int64_t(shape.size()))
    return n.refuse("its indices do not fit the operand");
  if (indices.shape().take_front(batch) != shape.take_front(batch))
    return n.refuse("its batch dims are not those of the operand");
  Places places;
  places.tuples.assign(indices.shape().begin(), indices.shape().end() - 1);
  places.rest.assign(shape.begin() + batch + depth, shape.end());
  for (int64_t dim : places.rest)
    places.width *= dim;
  Expr linear, isInside;
  Shape offsets(rank, 0), sizes(indices.shape());
  sizes.back() = 1;
  for (int64_t dim = 0; dim < batch + depth; ++dim) {
    Expr one;
    if (dim < batch) {
      Shape counted(places.tuples);
      counted.push_back(1);
      one = n.opAs("iota", counted, indices.elementType(), {},
                   {{"dim", n.integerAttr(dim)}});
    } else {
      offsets.back() = dim - batch;
      one = fromStart(n, n.slice(indices, offsets, sizes), shape[dim]);
      isInside = alsoInside(n, isInside, one, shape[dim]);
    }
    places.count *= shape[dim];
    if (linear)
      linear = n.op("mul", {linear, linear.integer(shape[dim])});
    linear = linear ? n.op("add", {linear, one}) : one;
    if (!linear)
      return failure();
  }
  linear = n.select(isInside, linear, linear.integer(-1));
  int64_t tuples = 1;
  for (int64_t dim : places.tuples)
    tuples *= dim;
  places.indices = n.reshape(linear, {tuples});
  return places;
}

static LogicalResult convertGatherND(Node &n) {
  int64_t batch = n.integer("batch_dims", 0);
  Expr x = n.value(0);
  if (!x)
    return failure();
  FailureOr<Places> places = readPlaces(n, 1, x.shape(), batch);
  if (failed(places))
    return failure();
  Expr rows = n.op(
      "gather", {n.reshape(x, {places->count, places->width}), places->indices},
      {{"dim", n.integerAttr(0)}});
  Shape shape(places->tuples);
  shape.append(places->rest);
  return n.set(0, n.reshape(rows, shape));
}

/// Whether `reduction` is add; refuses what is neither that nor none.
static FailureOr<bool> addsUp(Node &n) {
  std::string reduction = n.text("reduction", "none");
  if (reduction == "none" || reduction == "add")
    return reduction == "add";
  return n.refuse("reduction '" + reduction + "' is not supported");
}

namespace {
/// A reduction of ScatterElements that no graph op scatters by.
struct ScatterFold {
  StringRef name, fold, join;
  double neutral;
};
} // namespace

static const ScatterFold *findFold(StringRef reduction) {
  static constexpr ScatterFold rows[] = {
      {"max", "max", "maximum", -HUGE_VAL},
      {"min", "min", "minimum", HUGE_VAL},
      {"mul", "prod", "mul", 1},
  };
  const auto *found = llvm::find_if(
      rows, [&](const ScatterFold &row) { return row.name == reduction; });
  return found == std::end(rows) ? nullptr : found;
}

/// Each place looks through all updates for its own, and folds them: what graph
/// networks have of their neighbours.
static LogicalResult scatterByFold(Node &n, const ScatterFold &row, Expr x,
                                   Expr updates, int64_t axis) {
  constexpr int64_t most = int64_t(1) << 28;
  Shape shape(x.shape()), wide(updates.shape());
  int64_t places = shape[axis];
  shape[axis] = wide[axis];
  if (!isa<mlir::FloatType>(x.elementType()) || shape != wide)
    return n.refuse("reduction '" + row.name +
                    "' is supported of floats, and of updates for all places "
                    "of other dims than the axis");
  wide.insert(wide.begin() + axis, places);
  auto count = countElements(wide);
  if (!count || *count > most)
    return n.refuse("reduction '" + row.name + "' of " + Twine(places) +
                    " places and " + Twine(shape[axis]) +
                    " updates would compare more than 2^28 pairs");
  Shape narrow(shape);
  narrow.insert(narrow.begin() + axis, 1);
  Expr indices =
      fromStart(n, n.cast(n.value(1), n.builder.getI64Type()), places);
  if (!indices)
    return failure();
  Expr all = n.opAs("iota", wide, indices.elementType(), {},
                    {{"dim", n.integerAttr(axis)}});
  Expr isHere = n.compare("eq", all, n.reshape(indices, narrow));
  Expr own = n.select(isHere, n.reshape(updates, narrow),
                      updates.constant(row.neutral));
  Expr folded = own ? n.reduce(row.fold, own, {axis + 1}, false) : Expr();
  return n.set(0, n.op(row.join, {x, folded}));
}

static LogicalResult convertScatterElements(Node &n) {
  if (const ScatterFold *row = findFold(n.text("reduction", "none"))) {
    Expr x = n.value(0), updates = n.value(2);
    FailureOr<int64_t> axis = n.axis("axis", 0, n.rank(0));
    if (!x || !updates || failed(axis))
      return failure();
    return scatterByFold(n, *row, x, updates, *axis);
  }
  FailureOr<bool> isSum = addsUp(n);
  Expr x = n.value(0), updates = n.value(2);
  FailureOr<int64_t> axis = n.axis("axis", 0, n.rank(0));
  if (!x || !updates || failed(axis) || failed(isSum))
    return failure();
  Expr indices = fromStart(n, n.value(1), x.shape()[*axis]);
  auto scatter = [&](Expr to, Expr what) {
    return n.op("scatter_add", {to, indices, what},
                {{"dim", n.integerAttr(*axis)}});
  };
  if (*isSum)
    return n.set(0, scatter(x, updates));
  // What is replaced counts as 0, so that its update is all that is there.
  Type f32 = n.builder.getF32Type();
  Expr zeros = n.broadcast(expr::constant(n.builder, f32, 0), x.shape());
  Expr ones = n.broadcast(expr::constant(n.builder, f32, 1), updates.shape());
  Expr named = scatter(zeros, ones);
  if (!named)
    return failure();
  Expr kept = n.select(expr::greater(named, 0.0), x.constant(0), x);
  return n.set(0, scatter(kept, updates));
}

static LogicalResult convertScatterND(Node &n) {
  FailureOr<bool> isSum = addsUp(n);
  Expr x = n.value(0), updates = n.value(2);
  if (!x || !updates || failed(isSum))
    return failure();
  FailureOr<Places> places = readPlaces(n, 1, x.shape(), 0);
  if (failed(places))
    return failure();
  int64_t tuples = places->indices ? places->indices.numElements() : 0;
  auto sum = [&](Expr rows) {
    return n.op(
        "segment_sum", {rows, places->indices},
        {{"dim", n.integerAttr(0)}, {"size", n.integerAttr(places->count)}});
  };
  Expr base = n.reshape(x, {places->count, places->width});
  Expr added = sum(n.reshape(updates, {tuples, places->width}));
  if (!*isSum) {
    Expr ones = n.broadcast(
        expr::constant(n.builder, n.builder.getF32Type(), 1), {tuples, 1});
    Expr named = sum(ones);
    if (!named)
      return failure();
    base = n.select(expr::greater(named, 0.0), base.constant(0), base);
  }
  return n.set(0, n.reshape(n.op("add", {base, added}), x.shape()));
}

static LogicalResult convertOneHot(Node &n) {
  Expr indices = n.value(0), values = n.value(2);
  ConstantPtr depth = n.needConstant(1, "the depth");
  if (!indices || !values || !depth)
    return failure();
  if (depth->size() != 1 || values.numElements() != 2 ||
      !(depth->real(0) >= 1) || depth->real(0) > INT32_MAX)
    return n.refuse("expected a depth above 0 and two values");
  FailureOr<int64_t> axis = n.axis("axis", -1, indices.rank() + 1);
  if (failed(axis))
    return failure();
  Type i64 = n.builder.getI64Type();
  auto size = int64_t(depth->real(0));
  indices = fromStart(n, n.cast(indices, i64), size);
  if (!indices)
    return failure();
  Shape narrow(indices.shape()), wide(indices.shape());
  narrow.insert(narrow.begin() + *axis, 1);
  wide.insert(wide.begin() + *axis, size);
  Expr places = n.opAs("iota", wide, i64, {}, {{"dim", n.integerAttr(*axis)}});
  Expr off = n.reshape(n.slice(n.reshape(values, {2}), {0}, {1}), {});
  Expr on = n.reshape(n.slice(n.reshape(values, {2}), {1}, {1}), {});
  return n.set(0, n.select(n.compare("eq", places, n.reshape(indices, narrow)),
                           on, off));
}

/// The elements along an axis for which a known condition holds.
static LogicalResult convertCompress(Node &n) {
  Expr x = n.value(0);
  FailureOr<Shape> flags = n.needInts(1, "the condition");
  if (!x || failed(flags))
    return failure();
  int64_t axis = 0;
  if (n.hasAttribute("axis")) {
    FailureOr<int64_t> given = n.axis("axis", 0, x.rank());
    if (failed(given))
      return failure();
    axis = *given;
  } else {
    x = n.reshape(x, {x.numElements()});
  }
  Constant indices(::onnx::TensorProto::INT64, {0});
  for (auto [index, flag] : llvm::enumerate(*flags))
    if (flag && x && int64_t(index) < x.shape()[axis])
      indices.ints.push_back(index);
  indices.shape = {int64_t(indices.ints.size())};
  if (!x || indices.ints.empty())
    return n.refuse("the condition leaves no elements");
  return gatherKnown(n, x, axis, indices);
}

ArrayRef<Converter> mpc::onnx::indexingConverters() {
  static constexpr Converter rows[] = {
      {"Compress", 9, convertCompress},
      {"Gather", 1, convertGather},
      {"GatherElements", 11, convertGatherElements},
      {"GatherND", 11, convertGatherND},
      {"OneHot", 9, convertOneHot},
      {"Scatter", 9, convertScatterElements},
      {"ScatterElements", 11, convertScatterElements},
      {"ScatterND", 11, convertScatterND}};
  return rows;
}
