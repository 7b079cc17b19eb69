#include "Fold.h"
#include "llvm/ADT/StringSwitch.h"

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
  else if (!count || *count > kMostElements)
    (void)n.refuse("its result is larger than what is computed while a model "
                   "is read");
  else
    return Constant(type, shape);
  return std::nullopt;
}

std::optional<Shape> mpc::onnx::broadcastAll(Node &n, Operands operands) {
  Shape shape;
  for (const ConstantPtr &operand : operands) {
    size_t rank = operand->shape.size();
    if (rank > shape.size())
      shape.insert(shape.begin(), rank - shape.size(), 1);
    for (size_t i = 0; i < rank; ++i) {
      int64_t &size = shape[shape.size() - rank + i];
      int64_t other = operand->shape[i];
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

Constant mpc::onnx::castConstant(const Constant &x, int type) {
  Constant made(type, x.shape);
  for (int64_t i = 0; i < x.size(); ++i)
    if (x.isFloat())
      made.set(i, x.reals[i]);
    else
      made.setInt(i, x.ints[i]);
  return made;
}

//===-- Of one operand ---------------------------------------------------===//

static double applyReal(StringRef op, double x) {
  return llvm::StringSwitch<double>(op)
      .Case("Abs", std::abs(x))
      .Case("Ceil", std::ceil(x))
      .Case("Cos", std::cos(x))
      .Case("Erf", std::erf(x))
      .Case("Exp", std::exp(x))
      .Case("Floor", std::floor(x))
      .Case("Log", std::log(x))
      .Case("Neg", -x)
      .Case("Reciprocal", 1 / x)
      .Case("Relu", x < 0 ? 0 : x)
      .Case("Round", std::nearbyint(x))
      .Case("Sigmoid", 1 / (1 + std::exp(-x)))
      .Case("Sign", x > 0   ? 1
                    : x < 0 ? -1
                            : 0)
      .Case("Sin", std::sin(x))
      .Case("Sqrt", std::sqrt(x))
      .Default(std::tanh(x));
}

static std::optional<int64_t> applyInt(StringRef op, int64_t x) {
  auto wrapped = int64_t(0 - uint64_t(x)); // also of the smallest
  if (op == "Abs")
    return x < 0 ? wrapped : x;
  if (op == "Neg")
    return wrapped;
  if (op == "Relu")
    return std::max<int64_t>(x, 0);
  if (op == "Sign")
    return x > 0 ? 1 : x < 0 ? -1 : 0;
  return std::nullopt;
}

static std::optional<Constant> unary(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 1))
    return std::nullopt;
  const Constant &x = *operands[0];
  Constant made(x.type, x.shape);
  StringRef op = n.proto.op_type();
  for (int64_t i = 0; i < x.size(); ++i) {
    if (x.isFloat()) {
      made.set(i, applyReal(op, x.reals[i]));
    } else if (auto value = applyInt(op, x.ints[i])) {
      made.setInt(i, *value);
    } else {
      (void)n.refuse("expected floats, but got " + nameOf(x.type));
      return std::nullopt;
    }
  }
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

static std::optional<Constant> convert(Node &n, Operands operands) {
  n.ignore("saturate");
  n.ignore("round_mode");
  int to = int(n.integer("to", 0));
  if (!hasOperands(n, operands, 1) || !makeConstant(n, to, {}))
    return std::nullopt;
  return castConstant(*operands[0], to);
}

//===-- Of two or more ---------------------------------------------------===//

static double combineReals(StringRef op, double a, double b) {
  return llvm::StringSwitch<double>(op)
      .Cases({"Add", "Sum", "Mean"}, a + b)
      .Case("Sub", a - b)
      .Case("Mul", a * b)
      .Case("Div", a / b)
      .Case("Max", std::isnan(a)   ? a
                   : std::isnan(b) ? b
                                   : std::max(a, b))
      .Case("Min", std::isnan(a)   ? a
                   : std::isnan(b) ? b
                                   : std::min(a, b))
      .Case("Mod", std::fmod(a, b))
      .Default(std::pow(a, b));
}

/// Nothing where it is divided by 0.
static std::optional<int64_t> combineInts(StringRef op, int64_t a, int64_t b,
                                          bool isC) {
  auto ua = uint64_t(a), ub = uint64_t(b);
  if (op == "Add" || op == "Sum")
    return int64_t(ua + ub);
  if (op == "Sub")
    return int64_t(ua - ub);
  if (op == "Mul")
    return int64_t(ua * ub);
  if (op == "Max")
    return std::max(a, b);
  if (op == "Min")
    return std::min(a, b);
  if (op == "Pow")
    return int64_t(std::pow(double(a), double(b)));
  if (b == 0)
    return std::nullopt;
  if (b == -1) // whose quotient of the smallest is none
    return op == "Div" ? int64_t(0 - ua) : 0;
  if (op == "Div")
    return a / b;
  int64_t rest = a % b;
  return !isC && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static std::optional<Constant> combineTwo(Node &n, const ConstantPtr &a,
                                          const ConstantPtr &b, bool isC) {
  auto shape = broadcastAll(n, {a, b});
  auto made = shape ? makeConstant(n, a->type, *shape) : std::nullopt;
  if (!made || made->size() == 0)
    return made;
  StringRef op = n.proto.op_type();
  Shape index(shape->size(), 0);
  for (int64_t i = 0; i < made->size(); ++i, advance(index, *shape)) {
    int64_t left = placeIn(a->shape, index), right = placeIn(b->shape, index);
    if (a->isFloat() || b->isFloat()) {
      made->set(i, combineReals(op, a->real(left), b->real(right)));
      continue;
    }
    auto value = combineInts(op, a->ints[left], b->ints[right], isC);
    if (!value) {
      (void)n.refuse("an integer is divided by 0");
      return std::nullopt;
    }
    made->setInt(i, *value);
  }
  return made;
}

static std::optional<Constant> combine(Node &n, Operands operands) {
  bool isC = n.proto.op_type() == "Mod" && n.integer("fmod", 0) != 0;
  if (!hasOperands(n, operands, std::max<size_t>(operands.size(), 1)))
    return std::nullopt;
  std::optional<Constant> total = *operands[0];
  for (size_t i = 1; i < operands.size() && total; ++i)
    total = combineTwo(n, std::make_shared<const Constant>(std::move(*total)),
                       operands[i], isC);
  if (total && n.proto.op_type() == "Mean")
    for (int64_t i = 0; i < total->size(); ++i)
      total->set(i, total->real(i) / double(operands.size()));
  return total;
}

template <typename T> static bool holds(StringRef op, T a, T b) {
  return llvm::StringSwitch<bool>(op)
      .Case("Equal", a == b)
      .Case("Greater", a > b)
      .Case("GreaterOrEqual", a >= b)
      .Case("Less", a < b)
      .Case("LessOrEqual", a <= b)
      .Case("And", a != 0 && b != 0)
      .Case("Or", a != 0 || b != 0)
      .Default((a != 0) != (b != 0)); // Xor
}

static std::optional<Constant> compare(Node &n, Operands operands) {
  if (!hasOperands(n, operands, 2))
    return std::nullopt;
  auto shape = broadcastAll(n, operands);
  auto made = shape ? makeConstant(n, TensorProto::BOOL, *shape) : std::nullopt;
  if (!made || made->size() == 0)
    return made;
  const Constant &a = *operands[0], &b = *operands[1];
  StringRef op = n.proto.op_type();
  Shape index(shape->size(), 0);
  for (int64_t i = 0; i < made->size(); ++i, advance(index, *shape)) {
    int64_t left = placeIn(a.shape, index), right = placeIn(b.shape, index);
    made->ints[i] = a.isFloat() ? holds(op, a.real(left), b.real(right))
                                : holds(op, a.integer(left),
                                        b.isFloat() ? int64_t(b.real(right))
                                                    : b.integer(right));
  }
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
  auto shape = broadcastAll(n, operands);
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
