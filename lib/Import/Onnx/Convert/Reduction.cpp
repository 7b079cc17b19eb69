// Folds over dims.
#include "../Tables.h"
#include "../Targets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mpc;
using namespace mpc::onnx;
namespace expr = mpc::graph::expr;

static Expr reduceBy(Node &n, StringRef type, Expr x, ArrayRef<int64_t> dims,
                     bool keep) {
  if (type == "ReduceL1")
    return n.reduce("sum", n.op("abs", {x}), dims, keep);
  if (type == "ReduceSumSquare")
    return n.reduce("sum", n.op("mul", {x, x}), dims, keep);
  if (type == "ReduceLogSum")
    return n.op("log", {n.reduce("sum", x, dims, keep)});
  StringRef op = llvm::StringSwitch<StringRef>(type)
                     .Case("ReduceSum", "sum")
                     .Case("ReduceMean", "mean")
                     .Case("ReduceMax", "max")
                     .Case("ReduceMin", "min")
                     .Case("ReduceProd", "prod")
                     .Case("ReduceL2", "norm")
                     .Default("logsumexp");
  bool isFlags = x && x.elementType().isInteger(1);
  if (isFlags && op == "max")
    op = "any";
  if (isFlags && op == "min")
    op = "all";
  return n.reduce(op, x, dims, keep);
}

static LogicalResult convertReduce(Node &n) {
  bool keep = n.integer("keepdims", 1) != 0;
  Expr x = n.value(0);
  if (!x)
    return failure();
  FailureOr<Shape> dims = readReduced(n, x.rank());
  if (failed(dims))
    return failure();
  return n.set(0, reduceBy(n, n.proto.op_type(), x, *dims, keep));
}

static LogicalResult convertArg(Node &n) {
  bool keep = n.integer("keepdims", 1) != 0;
  bool isLast = n.integer("select_last_index", 0) != 0;
  Expr x = n.value(0);
  FailureOr<int64_t> axis = n.axis("axis", 0, n.rank(0));
  if (!x || failed(axis))
    return failure();
  Expr turned = isLast ? n.op("flip", {x}, {{"dims", n.ints({*axis})}}) : x;
  Expr at = n.op(n.proto.op_type() == "ArgMax" ? "argmax" : "argmin", {turned},
                 {{"dim", n.integerAttr(*axis)},
                  {"keep_dims", keep ? n.unit() : Attribute()},
                  {"index_type", n.typeAttr(n.builder.getI64Type())}});
  if (at && isLast)
    at = n.op("sub", {at.integer(x.shape()[*axis] - 1), at});
  return n.set(0, at);
}

static LogicalResult convertCumSum(Node &n) {
  Expr x = n.value(0);
  FailureOr<Shape> axis = n.needInts(1, "the axis");
  if (!x || failed(axis))
    return failure();
  if (axis->size() != 1)
    return n.refuse("expected one axis");
  FailureOr<int64_t> dim = n.normalize(axis->front(), x.rank());
  if (failed(dim))
    return failure();
  bool isExclusive = n.integer("exclusive", 0),
       isReverse = n.integer("reverse", 0);
  return n.set(0, n.op("cumsum", {x},
                       {{"dim", n.integerAttr(*dim)},
                        {"exclusive", isExclusive ? n.unit() : Attribute()},
                        {"reverse", isReverse ? n.unit() : Attribute()}}));
}

/// The most elements that TopK takes: each is a sweep of its own.
static constexpr int64_t kMostTaken = 64;

/// Where the largest or smallest of `rest` is along `dim`, in which those that
/// are `taken` are `beyond`: where nothing else is left, the first that is not
/// taken.
static Expr findNext(Node &n, Expr rest, Expr places, Expr taken, int64_t dim,
                     double beyond) {
  Operation *found =
      n.make(beyond < 0 ? "max_with_index" : "min_with_index", {rest, places},
             {{"dims", n.ints({dim})}, {"keep_dims", n.unit()}});
  if (!found || !taken)
    return found ? n.wrap(found->getResult(1)) : Expr();
  Expr isLeft = n.cast(n.op("logical_not", {taken}), n.builder.getI32Type());
  Expr first = n.op("argmax", {isLeft},
                    {{"dim", n.integerAttr(dim)},
                     {"keep_dims", n.unit()},
                     {"index_type", n.typeAttr(n.builder.getI64Type())}});
  return n.select(expr::equal(n.wrap(found->getResult(0)), beyond), first,
                  n.wrap(found->getResult(1)));
}

/// The largest or smallest `count` along `dim`, one after the other, each taken
/// out for those behind it.
static LogicalResult takeTop(Node &n, Expr x, int64_t dim, int64_t count,
                             bool isLargest) {
  Type i64 = n.builder.getI64Type();
  Expr places =
      n.opAs("iota", x.shape(), i64, {}, {{"dim", n.integerAttr(dim)}});
  if (!isa<mlir::FloatType>(x.elementType()))
    return n.refuse("expected floats");
  double beyond = isLargest ? -HUGE_VAL : HUGE_VAL;
  SmallVector<Value> found;
  Expr rest = x, taken;
  for (int64_t i = 0; i < count && places; ++i) {
    Expr index = findNext(n, rest, places, taken, dim, beyond);
    if (!index)
      return failure();
    found.push_back(index);
    Expr isIt = n.compare("eq", places, index);
    taken = taken ? n.op("logical_or", {taken, isIt}) : isIt;
    rest = n.select(isIt, rest.constant(beyond), rest);
  }
  Expr indices = n.concat(found, dim);
  if (failed(n.set(0, n.op("gather_elements", {x, indices},
                           {{"dim", n.integerAttr(dim)}}))))
    return failure();
  return n.wants(1) ? n.set(1, indices) : success();
}

static LogicalResult convertTopK(Node &n) {
  n.ignore("sorted"); // they always are
  bool isLargest = n.integer("largest", 1) != 0;
  Expr x = n.value(0);
  FailureOr<int64_t> axis = n.axis("axis", -1, n.rank(0));
  if (!x || failed(axis))
    return failure();
  int64_t count = n.integer("k", 0);
  if (!n.hasAttribute("k")) {
    FailureOr<Shape> given = n.needInts(1, "k");
    if (failed(given) || given->size() != 1)
      return n.refuse("expected one k");
    count = given->front();
  }
  if (count < 1 || count > x.shape()[*axis] || count > kMostTaken)
    return n.refuse("expected k from 1 to the size of the dim and to " +
                    Twine(kMostTaken) + ", but got " + Twine(count));
  return takeTop(n, x, *axis, count, isLargest);
}

ArrayRef<Converter> mpc::onnx::reductionConverters() {
  static constexpr Converter rows[] = {{"ArgMax", 1, convertArg},
                                       {"ArgMin", 1, convertArg},
                                       {"CumSum", 11, convertCumSum},
                                       {"ReduceL1", 1, convertReduce},
                                       {"ReduceL2", 1, convertReduce},
                                       {"ReduceLogSum", 1, convertReduce},
                                       {"ReduceLogSumExp", 1, convertReduce},
                                       {"ReduceMax", 1, convertReduce},
                                       {"ReduceMean", 1, convertReduce},
                                       {"ReduceMin", 1, convertReduce},
                                       {"ReduceProd", 1, convertReduce},
                                       {"ReduceSum", 1, convertReduce},
                                       {"ReduceSumSquare", 1, convertReduce},
                                       {"TopK", 1, convertTopK}};
  return rows;
}
