#include "../Targets.h"
#include "Fold.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mpc;
using namespace mpc::onnx;

namespace {
/// What an op type begins with, and makes of what it has and one element more.
struct JoinRow {
  const char *type;
  double first;
  double (*real)(double, double);
  int64_t (*integer)(int64_t, int64_t, bool isUnsigned);
};
} // namespace

static bool isLess(int64_t a, int64_t b, bool isUnsigned) {
  return isUnsigned ? uint64_t(a) < uint64_t(b) : a < b;
}

static double add(double a, double b) { return a + b; }
static int64_t add(int64_t a, int64_t b, bool = false) {
  return int64_t(uint64_t(a) + uint64_t(b));
}

/// NaN is the largest and the smallest of all.
static constexpr JoinRow kJoins[] = {
    {"ReduceMax", -HUGE_VAL,
     [](double a, double b) { return std::isnan(a) || a > b ? a : b; },
     [](int64_t a, int64_t b, bool isUnsigned) {
       return isLess(a, b, isUnsigned) ? b : a;
     }},
    {"ReduceMean", 0, add, add},
    {"ReduceMin", HUGE_VAL,
     [](double a, double b) { return std::isnan(a) || a < b ? a : b; },
     [](int64_t a, int64_t b, bool isUnsigned) {
       return isLess(b, a, isUnsigned) ? b : a;
     }},
    {"ReduceProd", 1, [](double a, double b) { return a * b; },
     [](int64_t a, int64_t b, bool) {
       return int64_t(uint64_t(a) * uint64_t(b));
     }},
    {"ReduceSum", 0, add, add}};

static std::optional<Constant> reduce(Node &n, Operands operands) {
  bool keeps = n.integer("keepdims", 1) != 0;
  if (!hasOperands(n, operands, 1))
    return std::nullopt;
  const Constant &x = *operands[0];
  FailureOr<Shape> dims = readReduced(n, x.rank());
  if (failed(dims))
    return std::nullopt;
  Shape kept, shape;
  for (int64_t dim = 0; dim < x.rank(); ++dim) {
    bool isGone = llvm::is_contained(*dims, dim);
    kept.push_back(isGone ? 1 : x.shape[dim]);
    if (!isGone || keeps)
      shape.push_back(kept.back());
  }
  auto made = makeConstant(n, x.type, kept);
  const JoinRow &row = *llvm::find_if(kJoins, [&](const JoinRow &one) {
    return one.type == n.proto.op_type();
  });
  bool isMean = n.proto.op_type() == "ReduceMean";
  if (!made || (isMean && (!x.isFloat() || x.size() == 0)))
    return std::nullopt;
  // Of nothing integers have a sum and a product, but no largest.
  if (x.size() == 0 && !x.isFloat() && !std::isfinite(row.first)) {
    (void)n.refuse("expected an element to reduce");
    return std::nullopt;
  }
  for (int64_t i = 0; x.size() == 0 && i < made->size(); ++i)
    made->set(i, row.first);
  std::vector<bool> isBegun(made->size());
  Shape index(x.rank(), 0);
  for (int64_t i = 0; i < x.size(); ++i, advance(index, x.shape)) {
    int64_t at = placeIn(kept, index);
    if (!isBegun[at])
      made->copy(at, x, i);
    else if (x.isFloat())
      made->reals[at] = row.real(made->reals[at], x.reals[i]);
    else
      made->ints[at] = wrapTo(
          x.type, row.integer(made->ints[at], x.ints[i], x.isUnsigned64()));
    isBegun[at] = true;
  }
  double count = double(x.size()) / double(std::max<int64_t>(made->size(), 1));
  for (int64_t i = 0; x.isFloat() && i < made->size(); ++i)
    made->set(i, isMean ? made->reals[i] / count : made->reals[i]);
  made->shape = shape;
  return made;
}

static std::optional<Constant> cumulate(Node &n, Operands operands) {
  bool isExclusive = n.integer("exclusive", 0),
       isReverse = n.integer("reverse", 0);
  FailureOr<Shape> axis = n.needInts(1, "the axis");
  if (!hasOperands(n, operands, 2) || failed(axis) || axis->size() != 1)
    return std::nullopt;
  Constant made = *operands[0];
  FailureOr<int64_t> dim = n.normalize(axis->front(), made.rank());
  if (failed(dim))
    return std::nullopt;
  const Constant &x = *operands[0];
  int64_t stride = stridesOf(x.shape)[*dim], size = x.shape[*dim];
  for (int64_t i = 0; i < x.size(); ++i) {
    if (i / stride % size != 0)
      continue; // not the first of a row
    double real = 0;
    int64_t integer = 0;
    for (int64_t step = 0; step < size; ++step) {
      int64_t at = i + (isReverse ? size - 1 - step : step) * stride;
      if (isExclusive)
        x.isFloat() ? made.set(at, real) : made.setInt(at, integer);
      real += x.isFloat() ? x.reals[at] : 0;
      integer = x.isFloat() ? 0 : add(integer, x.ints[at]);
      if (!isExclusive)
        x.isFloat() ? made.set(at, real) : made.setInt(at, integer);
    }
  }
  return made;
}

/// Tables of positions are made of it; products of more are computed later.
static std::optional<Constant> multiply(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 2))
    return std::nullopt;
  const Constant &a = *operands[0], &b = *operands[1];
  if (a.rank() < 2 || a.rank() != b.rank() || !a.isFloat() || !b.isFloat())
    return std::nullopt;
  int64_t rank = a.rank(), rows = a.shape[rank - 2], depth = a.shape[rank - 1],
          columns = b.shape[rank - 1];
  Shape shape(a.shape);
  shape.back() = columns;
  auto count = countElements(shape);
  bool fits = ArrayRef<int64_t>(a.shape).drop_back(2) ==
                  ArrayRef<int64_t>(b.shape).drop_back(2) &&
              b.shape[rank - 2] == depth && count && *count > 0 && depth > 0 &&
              *count <= kMostElements / depth;
  if (!fits)
    return std::nullopt;
  Constant made(a.type, shape);
  for (int64_t i = 0; i < made.size(); ++i) {
    int64_t column = i % columns, row = i / columns;
    int64_t batch = row / rows;
    double total = 0;
    for (int64_t k = 0; k < depth; ++k)
      total += a.reals[row * depth + k] *
               b.reals[(batch * depth + k) * columns + column];
    made.set(i, total);
  }
  return made;
}

ArrayRef<Evaluator> mpc::onnx::reductionEvaluators() {
  static constexpr Evaluator rows[] = {
      {"CumSum", cumulate},   {"MatMul", multiply},  {"ReduceMax", reduce},
      {"ReduceMean", reduce}, {"ReduceMin", reduce}, {"ReduceProd", reduce},
      {"ReduceSum", reduce}};
  return rows;
}
