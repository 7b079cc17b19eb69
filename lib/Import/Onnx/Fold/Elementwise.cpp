#include "Fold.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mpc;
using namespace mpc::onnx;
using ::onnx::TensorProto;

//===-- What all have in common ------------------------------------------===//

std::optional<Constant> mpc::onnx::makeConstant(Node &n, int type,
                                                ArrayRef<int64_t> shape) {
  auto count = countElements(shape);
  if (!bytesOf(type))
    (void)n.refuse("values of type " + nameOf(type) + " are not supported");
  else if (llvm::any_of(shape, [](int64_t dim) { return dim < 0; }))
    (void)n.refuse("expected sizes of 0 or more");
  else if (!count || *count > kMostElements)
    (void)n.refuse("its result is larger than what is computed while a model "
                   "is read");
  else
    return Constant(type, shape);
  return std::nullopt;
}

std::optional<Shape> mpc::onnx::broadcastAll(Node &n, ArrayRef<Shape> shapes) {
  Shape shape;
  for (const Shape &operand : shapes) {
    size_t rank = operand.size();
    if (rank > shape.size())
      shape.insert(shape.begin(), rank - shape.size(), 1);
    for (size_t i = 0; i < rank; ++i) {
      int64_t &size = shape[shape.size() - rank + i];
      int64_t other = operand[i];
      if (size != other && size != 1 && other != 1) {
        (void)n.refuse("its shapes do not broadcast");
        return std::nullopt;
      }
      size = size == 1 ? other : size;
    }
  }
  return shape;
}

int64_t mpc::onnx::placeIn(ArrayRef<int64_t> shape, const Shape &index) {
  int64_t place = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t at = index[index.size() - shape.size() + i];
    place = place * shape[i] + (shape[i] == 1 ? 0 : at);
  }
  return place;
}

bool mpc::onnx::hasOperands(Node &n, Operands operands, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (i >= operands.size() || !operands[i]) {
      (void)n.refuse("operand " + Twine(i) + " is missing");
      return false;
    }
  return true;
}

//===-- Of one operand ---------------------------------------------------===//

namespace {
/// What an op type does to an element. Integers of uint64 are those of its
/// bits.
struct UnaryRow {
  const char *type;
  double (*real)(double);
  int64_t (*integer)(int64_t, bool isUnsigned) = nullptr;
};
} // namespace

static int64_t negate(int64_t x, bool = false) {
  return int64_t(0 - uint64_t(x)); // also of the smallest
}

static double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

static constexpr UnaryRow kUnary[] = {
    {"Abs", [](double x) { return std::abs(x); },
     [](int64_t x, bool isUnsigned) {
       return x < 0 && !isUnsigned ? negate(x) : x;
     }},
    {"Ceil", [](double x) { return std::ceil(x); }},
    {"Cos", [](double x) { return std::cos(x); }},
    {"Erf", [](double x) { return std::erf(x); }},
    {"Exp", [](double x) { return std::exp(x); }},
    {"Floor", [](double x) { return std::floor(x); }},
    {"Log", [](double x) { return std::log(x); }},
    {"Neg", [](double x) { return -x; }, negate},
    {"Reciprocal", [](double x) { return 1 / x; }},
    {"Relu", [](double x) { return x < 0 ? 0 : x; },
     [](int64_t x, bool isUnsigned) {
       return x < 0 && !isUnsigned ? int64_t(0) : x;
     }},
    {"Round", [](double x) { return std::nearbyint(x); }},
    {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"Sign", sign,
     [](int64_t x, bool isUnsigned) {
       return int64_t(x == 0 ? 0 : x > 0 || isUnsigned ? 1 : -1);
     }},
    {"Sin", [](double x) { return std::sin(x); }},
    {"Sqrt", [](double x) { return std::sqrt(x); }},
    {"Tanh", [](double x) { return std::tanh(x); }}};

/// The row of the node's op type, which has one.
template <typename Row, size_t count>
static const Row &findRow(const Row (&rows)[count], Node &n) {
  return *llvm::find_if(
      rows, [&](const Row &row) { return row.type == n.proto.op_type(); });
}

static std::optional<Constant> unary(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 1))
    return std::nullopt;
  const Constant &x = *operands[0];
  Constant made(x.type, x.shape);
  const UnaryRow &row = findRow(kUnary, n);
  if (!x.isFloat() && !row.integer) {
    (void)n.refuse("expected floats, but got " + nameOf(x.type));
    return std::nullopt;
  }
  for (int64_t i = 0; i < x.size(); ++i)
    if (x.isFloat())
      made.set(i, row.real(x.reals[i]));
    else
      made.setInt(i, row.integer(x.ints[i], x.isUnsigned64()));
  return made;
}

static std::optional<Constant> classify(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 1))
    return std::nullopt;
  const Constant &x = *operands[0];
  bool isNot = n.proto.op_type() == "Not";
  Constant made(TensorProto::BOOL, x.shape);
  for (int64_t i = 0; i < x.size(); ++i)
    made.ints[i] = isNot ? x.real(i) == 0 : std::isnan(x.real(i));
  return made;
}

/// Whether each float of `x` is in the range of integers of type `to`; what
/// others become is said by no standard, and left to who computes it, if that
/// is an op.
static bool fitsIntegers(const Constant &x, int to) {
  bool isComputed = to == TensorProto::INT32 || to == TensorProto::INT64;
  if (!x.isFloat() || !isComputed)
    return true;
  double high = to == TensorProto::INT32 ? 0x1p31 : 0x1p63;
  return llvm::all_of(x.reals, [&](double real) {
    double whole = std::trunc(real);
    return whole >= -high && whole < high;
  });
}

static std::optional<Constant> convert(Node &n, Operands operands) {
  n.ignore("saturate");
  n.ignore("round_mode");
  int to = int(n.integer("to", 0));
  if (!hasOperands(n, operands, 1) || !makeConstant(n, to, {}) ||
      !fitsIntegers(*operands[0], to))
    return std::nullopt;
  return castConstant(*operands[0], to);
}

//===-- Of two or more ---------------------------------------------------===//

/// Calls `each` with the place of an element of a result of `shape`, and with
/// those of its operands; ends where that answers false, and so then.
template <typename Each>
static bool forPairs(const Shape &shape, const Constant &a, const Constant &b,
                     const Each &each) {
  int64_t count = countElements(shape).value_or(0);
  bool isLikeA = a.shape == shape, isLikeB = b.shape == shape;
  Shape index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i, advance(index, shape))
    if (!each(i, isLikeA ? i : placeIn(a.shape, index),
              isLikeB ? i : placeIn(b.shape, index)))
      return false;
  return true;
}

namespace {
/// What an op type makes of two elements. The integers answer nothing where
/// they are divided by 0.
struct BinaryRow {
  const char *type;
  double (*real)(double, double);
  std::optional<int64_t> (*integer)(int64_t, int64_t, bool isUnsigned);
};
} // namespace

static double add(double a, double b) { return a + b; }
static std::optional<int64_t> add(int64_t a, int64_t b, bool) {
  return int64_t(uint64_t(a) + uint64_t(b));
}

static bool isLess(int64_t a, int64_t b, bool isUnsigned) {
  return isUnsigned ? uint64_t(a) < uint64_t(b) : a < b;
}

static std::optional<int64_t> divide(int64_t a, int64_t b, bool isUnsigned) {
  if (b == 0)
    return std::nullopt;
  if (isUnsigned)
    return int64_t(uint64_t(a) / uint64_t(b));
  return b == -1 ? negate(a) : a / b; // the smallest has no opposite
}

/// What is left, with the sign of `a`.
static std::optional<int64_t> restOf(int64_t a, int64_t b, bool isUnsigned) {
  if (b == 0)
    return std::nullopt;
  if (isUnsigned)
    return int64_t(uint64_t(a) % uint64_t(b));
  return b == -1 ? 0 : a % b;
}

/// The same with the sign of `b`.
static std::optional<int64_t> modulo(int64_t a, int64_t b, bool isUnsigned) {
  auto rest = restOf(a, b, isUnsigned);
  if (rest && !isUnsigned && *rest != 0 && (*rest < 0) != (b < 0))
    return *rest + b;
  return rest;
}

/// Wraps, as products do; to zero of negative exponents, of which 0 has none.
static std::optional<int64_t> power(int64_t base, int64_t exponent,
                                    bool isUnsigned) {
  if (exponent < 0 && !isUnsigned) {
    if (base == 0)
      return std::nullopt;
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  }
  uint64_t result = 1, square = uint64_t(base);
  for (auto left = uint64_t(exponent); left; left >>= 1, square *= square)
    if (left & 1)
      result *= square;
  return int64_t(result);
}

static constexpr BinaryRow kBinary[] = {
    {"Add", add, add},
    {"Sum", add, add},
    {"Mean", add, add},
    {"Sub", [](double a, double b) { return a - b; },
     [](int64_t a, int64_t b, bool) {
       return std::optional(int64_t(uint64_t(a) - uint64_t(b)));
     }},
    {"Mul", [](double a, double b) { return a * b; },
     [](int64_t a, int64_t b, bool) {
       return std::optional(int64_t(uint64_t(a) * uint64_t(b)));
     }},
    {"Div", [](double a, double b) { return a / b; }, divide},
    {"Max",
     [](double a, double b) {
       return std::isnan(a) || a > b ? a : b; // b where it is NaN
     },
     [](int64_t a, int64_t b, bool isUnsigned) {
       return std::optional(isLess(a, b, isUnsigned) ? b : a);
     }},
    {"Min", [](double a, double b) { return std::isnan(a) || a < b ? a : b; },
     [](int64_t a, int64_t b, bool isUnsigned) {
       return std::optional(isLess(b, a, isUnsigned) ? b : a);
     }},
    {"Mod", [](double a, double b) { return std::fmod(a, b); }, modulo},
    {"Pow", [](double a, double b) { return std::pow(a, b); }, power}};

static std::optional<Constant> combineTwo(Node &n, const Constant &a,
                                          const Constant &b, BinaryRow row) {
  auto shape = broadcastAll(n, {a.shape, b.shape});
  auto made = shape ? makeConstant(n, a.type, *shape) : std::nullopt;
  if (!made)
    return made;
  if (a.type != b.type && n.proto.op_type() != "Pow") {
    (void)n.refuse("expected operands of one type, but got " + nameOf(a.type) +
                   " and " + nameOf(b.type));
    return std::nullopt;
  }
  bool areFloats = a.isFloat() || b.isFloat(); // of a power one may be
  bool isWhole = forPairs(*shape, a, b, [&](int64_t i, int64_t l, int64_t r) {
    if (areFloats) {
      made->set(i, row.real(a.real(l), b.real(r)));
      return true;
    }
    auto value = row.integer(a.ints[l], b.ints[r], a.isUnsigned64());
    made->setInt(i, value.value_or(0));
    return value.has_value();
  });
  if (isWhole)
    return made;
  (void)n.refuse("an integer is divided by 0");
  return std::nullopt;
}

static std::optional<Constant> combine(Node &n, Operands operands) {
  BinaryRow row = findRow(kBinary, n);
  if (n.proto.op_type() == "Mod" && n.integer("fmod", 0) != 0)
    row.integer = restOf;
  if (!hasOperands(n, operands, std::max<size_t>(operands.size(), 1)))
    return std::nullopt;
  std::optional<Constant> total = *operands[0];
  for (size_t i = 1; i < operands.size() && total; ++i)
    total = combineTwo(n, *total, *operands[i], row);
  if (total && n.proto.op_type() == "Mean")
    for (int64_t i = 0; i < total->size(); ++i)
      total->set(i, total->real(i) / double(operands.size()));
  return total;
}

namespace {
/// Comparisons of the three kinds of elements.
struct CompareRow {
  const char *type;
  bool (*real)(double, double);
  bool (*integer)(int64_t, int64_t);
  bool (*natural)(uint64_t, uint64_t);
};
} // namespace

template <typename T> static bool isEqual(T a, T b) { return a == b; }
template <typename T> static bool isAbove(T a, T b) { return a > b; }
template <typename T> static bool isNotBelow(T a, T b) { return a >= b; }
template <typename T> static bool isBelow(T a, T b) { return a < b; }
template <typename T> static bool isNotAbove(T a, T b) { return a <= b; }
template <typename T> static bool areBoth(T a, T b) { return a != 0 && b != 0; }
template <typename T> static bool isEither(T a, T b) {
  return a != 0 || b != 0;
}
template <typename T> static bool isOneOf(T a, T b) {
  return (a != 0) != (b != 0);
}

static constexpr CompareRow kCompare[] = {
    {"And", areBoth, areBoth, areBoth},
    {"Equal", isEqual, isEqual, isEqual},
    {"Greater", isAbove, isAbove, isAbove},
    {"GreaterOrEqual", isNotBelow, isNotBelow, isNotBelow},
    {"Less", isBelow, isBelow, isBelow},
    {"LessOrEqual", isNotAbove, isNotAbove, isNotAbove},
    {"Or", isEither, isEither, isEither},
    {"Xor", isOneOf, isOneOf, isOneOf}};

static std::optional<Constant> compare(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 2))
    return std::nullopt;
  const Constant &a = *operands[0], &b = *operands[1];
  if (a.type != b.type) {
    (void)n.refuse("expected operands of one type, but got " + nameOf(a.type) +
                   " and " + nameOf(b.type));
    return std::nullopt;
  }
  auto shape = broadcastAll(n, {a.shape, b.shape});
  auto made = shape ? makeConstant(n, TensorProto::BOOL, *shape) : std::nullopt;
  if (!made)
    return made;
  const CompareRow &row = findRow(kCompare, n);
  forPairs(*shape, a, b, [&](int64_t i, int64_t l, int64_t r) {
    made->ints[i] = a.isFloat() ? row.real(a.reals[l], b.reals[r])
                    : a.isUnsigned64()
                        ? row.natural(uint64_t(a.ints[l]), uint64_t(b.ints[r]))
                        : row.integer(a.ints[l], b.ints[r]);
    return true;
  });
  return made;
}

static std::optional<Constant> where(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 3))
    return std::nullopt;
  const Constant &condition = *operands[0];
  if (operands[1]->type != operands[2]->type) {
    (void)n.refuse("expected two values of one type");
    return std::nullopt;
  }
  auto shape = broadcastAll(
      n, {condition.shape, operands[1]->shape, operands[2]->shape});
  auto made = shape ? makeConstant(n, operands[1]->type, *shape) : std::nullopt;
  if (!made || made->size() == 0)
    return made;
  Shape index(shape->size(), 0);
  for (int64_t i = 0; i < made->size(); ++i, advance(index, *shape)) {
    bool isTrue = condition.real(placeIn(condition.shape, index)) != 0;
    const Constant &taken = *operands[isTrue ? 1 : 2];
    made->copy(i, taken, placeIn(taken.shape, index));
  }
  return made;
}

ArrayRef<Evaluator> mpc::onnx::elementwiseEvaluators() {
  static constexpr Evaluator rows[] = {{"Abs", unary},
                                       {"Add", combine},
                                       {"And", compare},
                                       {"Cast", convert},
                                       {"Ceil", unary},
                                       {"Cos", unary},
                                       {"Div", combine},
                                       {"Equal", compare},
                                       {"Erf", unary},
                                       {"Exp", unary},
                                       {"Floor", unary},
                                       {"Greater", compare},
                                       {"GreaterOrEqual", compare},
                                       {"IsNaN", classify},
                                       {"Less", compare},
                                       {"LessOrEqual", compare},
                                       {"Log", unary},
                                       {"Max", combine},
                                       {"Mean", combine},
                                       {"Min", combine},
                                       {"Mod", combine},
                                       {"Mul", combine},
                                       {"Neg", unary},
                                       {"Not", classify},
                                       {"Or", compare},
                                       {"Pow", combine},
                                       {"Reciprocal", unary},
                                       {"Relu", unary},
                                       {"Round", unary},
                                       {"Sigmoid", unary},
                                       {"Sign", unary},
                                       {"Sin", unary},
                                       {"Sqrt", unary},
                                       {"Sub", combine},
                                       {"Sum", combine},
                                       {"Tanh", unary},
                                       {"Where", where},
                                       {"Xor", compare}};
  return rows;
}
