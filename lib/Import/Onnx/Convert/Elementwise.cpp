// Arithmetic, one element at a time.
#include "../Masks.h"
#include "../Tables.h"
#include "Integers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mpc;
using namespace mpc::onnx;
namespace expr = mpc::graph::expr;

/// The graph op that an op type is, one for one.
static StringRef opOf(StringRef type) {
  return llvm::StringSwitch<StringRef>(type)
      .Case("Abs", "abs")
      .Case("Add", "add")
      .Case("Ceil", "ceil")
      .Case("Cos", "cos")
      .Case("Erf", "erf")
      .Case("Exp", "exp")
      .Case("Floor", "floor")
      .Case("Max", "maximum")
      .Case("Min", "minimum")
      .Case("Neg", "neg")
      .Case("Reciprocal", "reciprocal")
      .Case("Round", "round")
      .Case("Sin", "sin")
      .Case("Sqrt", "sqrt")
      .Case("Sub", "sub")
      .Case("Sum", "add")
      .Default("");
}

static LogicalResult convertUnary(Node &n) {
  return n.set(0, n.op(opOf(n.proto.op_type()), {n.value(0)}));
}

/// NaN of NaN, which graph.sign makes 0.
static LogicalResult convertSign(Node &n) {
  Expr x = n.value(0);
  if (!x)
    return failure();
  if (!isa<mlir::FloatType>(x.elementType())) {
    Expr other = n.select(expr::less(x, 0.0), x.constant(-1), x.constant(0));
    return n.set(0, n.select(expr::greater(x, 0.0), x.constant(1), other));
  }
  Expr sign = n.op("sign", {x});
  return n.set(0, n.select(n.op("is_nan", {x}), x, sign));
}

static LogicalResult convertMul(Node &n) {
  Expr a = n.value(0), b = n.value(1);
  if (Expr mask = maskOf(n, a, b))
    return n.set(0, mask);
  return n.set(0, n.op("mul", {a, b}));
}

static LogicalResult convertBinary(Node &n) {
  return n.set(0, n.op(opOf(n.proto.op_type()), {n.value(0), n.value(1)}));
}

/// One operand or more, folded from the left.
static Expr foldOperands(Node &n, StringRef op) {
  Expr total = n.value(0);
  for (size_t i = 1; i < n.numInputs() && total; ++i)
    total = n.op(op, {total, n.value(i)});
  return total;
}

static LogicalResult convertVariadic(Node &n) {
  return n.set(0, foldOperands(n, opOf(n.proto.op_type())));
}

static LogicalResult convertMean(Node &n) {
  Expr total = n.floating(0) ? foldOperands(n, "add") : Expr();
  return n.set(0, total ? total / double(n.numInputs()) : Expr());
}

static LogicalResult convertDiv(Node &n) {
  if (isFloatType(n.dataType(0))) {
    Expr a = n.value(0), b = n.value(1);
    if (Expr mask = maskOf(n, a, b))
      return n.set(0, mask);
    return n.set(0, n.op("div", {a, b}));
  }
  return n.set(0, quotientOf(n, n.value(0), n.value(1)));
}

static LogicalResult convertMod(Node &n) {
  bool isC = n.integer("fmod", 0) != 0;
  return n.set(0, remainderOf(n, n.value(0), n.value(1), !isC));
}

static LogicalResult convertPow(Node &n) {
  Expr base = n.value(0), exponent = n.value(1);
  if (!base || !exponent)
    return failure();
  if (n.entry(1).isKnown())
    if (ConstantPtr known = n.constant(1);
        known && known->size() == 1 && known->rank() <= base.rank()) {
      if (known->real(0) == 2.0)
        return n.set(0, n.op("mul", {base, base}));
      if (known->real(0) == 1.0)
        return n.set(0, base);
    }
  if (!isa<mlir::FloatType>(base.elementType())) {
    if (!base.elementType().isInteger(32))
      return n.refuse("expected int32, but got " + nameOf(n.dataType(0)) +
                      ": of others the graph dialect has no exact powers");
    Type wide = n.builder.getF64Type();
    Expr raised = n.cast(exponent, wide);
    Expr power = n.op("pow", {n.cast(base, wide), raised});
    if (!power)
      return failure();
    // Whole where the exponent is, whatever its last digit says.
    Expr isWhole = n.compare("eq", raised, n.op("floor", {raised}));
    Expr whole = n.select(isWhole, n.op("round", {power}), power);
    return n.set(0, n.cast(whole, n.builder.getI32Type())); // to zero
  }
  return n.set(0, n.op("pow", {base, n.cast(exponent, base.elementType())}));
}

/// x where `value` is graph.sigmoid of it.
static Value logitsOf(Value value) {
  Operation *op = value.getDefiningOp();
  bool isSigmoid = op && op->getName().getStringRef() == "graph.sigmoid";
  return isSigmoid ? op->getOperand(0) : Value();
}

/// Whether `value` is a constant, each element 1.
static bool isOne(Value value) {
  Operation *op = value.getDefiningOp();
  auto splat =
      op ? op->getAttrOfType<mlir::SplatElementsAttr>("value") : nullptr;
  return splat && isa<mlir::FloatType>(splat.getElementType()) &&
         splat.getSplatValue<llvm::APFloat>().isExactlyValue(1.0);
}

/// x where `op` computes 1 - sigmoid(x), by a difference or by a sum.
static Value logitsOfRest(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name == "graph.sub" && isOne(op->getOperand(0)))
    return logitsOf(op->getOperand(1));
  for (unsigned i : {0u, 1u}) {
    if (name != "graph.add" || !isOne(op->getOperand(i)))
      continue;
    Operation *minus = op->getOperand(1 - i).getDefiningOp();
    if (minus && minus->getName().getStringRef() == "graph.neg")
      return logitsOf(minus->getOperand(0));
  }
  return {};
}

/// Logarithms of sigmoids, as exporters spell binary cross entropy of logits
/// and logsigmoid, lose all digits far from 0; softplus does not:
///   log(sigmoid(x)) = -softplus(-x), log(1 - sigmoid(x)) = -softplus(x)
static LogicalResult convertLog(Node &n) {
  Expr x = n.floating(0);
  if (!x)
    return failure();
  if (Value logits = logitsOf(x))
    return n.set(0, -n.op("softplus", {-n.wrap(logits)}));
  Operation *op = Value(x).getDefiningOp();
  if (Value logits = op ? logitsOfRest(op) : Value())
    if (logits.getType() == Value(x).getType())
      return n.set(0, -n.op("softplus", {logits}));
  return n.set(0, n.op("log", {x}));
}

static LogicalResult convertTan(Node &n) {
  Expr x = n.floating(0);
  return n.set(0, x ? expr::sin(x) / expr::cos(x) : Expr());
}

/// sinh(x / 2), by which sinh and cosh are large only where they are: exact
/// near 0, and no inf is subtracted from another.
static Expr halfSinh(Node &n, Expr x) {
  Expr half = x * 0.5;
  return (n.op("expm1", {half}) - n.op("expm1", {-half})) * 0.5;
}

/// 2 sinh(x / 2) cosh(x / 2)
static LogicalResult convertSinh(Node &n) {
  Expr x = n.floating(0);
  if (!x)
    return failure();
  Expr half = x * 0.5;
  Expr cosh = (expr::exp(half) + expr::exp(-half)) * 0.5;
  return n.set(0, halfSinh(n, x) * 2.0 * cosh);
}

/// 1 + 2 sinh(x / 2)^2
static LogicalResult convertCosh(Node &n) {
  Expr x = n.floating(0);
  if (!x)
    return failure();
  Expr half = halfSinh(n, x);
  return n.set(0, half * 2.0 * half + 1.0);
}

/// log(x + sqrt(x^2 + sign)) of an x of 1 or more, without the square:
/// log(x) + log(1 + sqrt(1 + sign / x^2))
static Expr logOfSum(Expr x, double sign) {
  Expr inverse = 1.0 / x;
  return expr::log(x) +
         expr::log(expr::sqrt(inverse * inverse * sign + 1.0) + 1.0);
}

/// Near 0 log1p(x + x^2 / (sqrt(x^2 + 1) + 1)), whose digits are all good, and
/// beyond 1 what no square overflows. Each half sees only its own numbers, so
/// that no gradient is 0 * inf.
static LogicalResult convertAsinh(Node &n) {
  Expr x = n.floating(0);
  if (!x)
    return failure();
  Expr size = expr::abs(x);
  Expr near = expr::maximum(expr::minimum(x, 1.0), -1.0);
  Expr square = near * near;
  Expr small =
      n.op("log1p", {near + square / (expr::sqrt(square + 1.0) + 1.0)});
  Expr large = expr::sign(x) * logOfSum(expr::maximum(size, 1.0), 1.0);
  return n.set(0, n.select(expr::greater(size, 1.0), large, small));
}

/// Near 1 log1p(d + sqrt(d) sqrt(d + 2)), d being x - 1.
static LogicalResult convertAcosh(Node &n) {
  Expr x = n.floating(0);
  if (!x)
    return failure();
  Expr d = expr::minimum(x, 2.0) - 1.0;
  Expr small = n.op("log1p", {d + expr::sqrt(d) * expr::sqrt(d + 2.0)});
  Expr large = logOfSum(expr::maximum(x, 2.0), -1.0);
  return n.set(0, n.select(expr::greater(x, 2.0), large, small));
}

static LogicalResult convertAtanh(Node &n) {
  Expr x = n.floating(0);
  if (!x)
    return failure();
  return n.set(0, (n.op("log1p", {x}) - n.op("log1p", {-x})) * 0.5);
}

/// A bound of Clip, an attribute before opset 11 and an operand since.
static std::optional<double> knownBound(Node &n, size_t i, StringRef name) {
  if (n.hasAttribute(name))
    return n.real(name, 0);
  ConstantPtr known = n.has(i) ? n.constant(i) : nullptr;
  if (!known || known->size() != 1)
    return std::nullopt;
  return known->real(0);
}

static LogicalResult convertClip(Node &n) {
  Expr x = n.value(0);
  if (!x)
    return failure();
  bool isFloat = isa<mlir::FloatType>(x.elementType());
  std::optional<double> least = knownBound(n, 1, "min"),
                        most = knownBound(n, 2, "max");
  bool areKnown = (least || !n.has(1)) && (most || !n.has(2));
  if (isFloat && areKnown) {
    // What nothing exceeds is no bound; the largest number is one of inf.
    if (least == -HUGE_VAL)
      least.reset();
    if (most == HUGE_VAL)
      most.reset();
    if (!least && !most)
      return n.set(0, x);
    return n.set(0, n.op("clamp", {x},
                         {{"min", least ? n.realAttr(*least) : Attribute()},
                          {"max", most ? n.realAttr(*most) : Attribute()}}));
  }
  Expr made = x;
  if (n.has(1))
    made = n.op("maximum", {made, n.value(1)});
  if (n.has(2) && made)
    made = n.op("minimum", {made, n.value(2)});
  return n.set(0, made);
}

static LogicalResult convertIdentity(Node &n) {
  return n.setEntry(0, n.entry(0));
}

/// What is known while the model is read has no gradient.
static LogicalResult convertStop(Node &n) {
  if (n.has(0) && n.entry(0).isKnown())
    return n.setEntry(0, n.entry(0));
  return n.set(0, n.op("stop_gradient", {n.value(0)}));
}

static LogicalResult castTo(Node &n, int type) {
  Expr x = n.value(0);
  Type element = elementTypeOf(type, n.builder.getContext());
  if (x && !element)
    return n.refuse("values of type " + nameOf(type) +
                    " would be part of what the model computes");
  return n.set(0, n.cast(x, element));
}

static LogicalResult convertCast(Node &n) {
  n.ignore("saturate"); // of 8-bit floats
  n.ignore("round_mode");
  return castTo(n, int(n.integer("to", 0)));
}

static LogicalResult convertCastLike(Node &n) {
  n.ignore("saturate");
  n.ignore("round_mode");
  if (n.has(0) && n.entry(0).isKnown())
    if (ConstantPtr known = n.constant(0); known && bytesOf(n.dataType(1)))
      return n.set(0, castConstant(*known, n.dataType(1)));
  return castTo(n, n.dataType(1));
}

ArrayRef<Converter> mpc::onnx::elementwiseConverters() {
  static constexpr Converter rows[] = {{"Abs", 1, convertUnary},
                                       {"Acosh", 9, convertAcosh},
                                       {"Add", 7, convertBinary},
                                       {"Asinh", 9, convertAsinh},
                                       {"Atanh", 9, convertAtanh},
                                       {"Cast", 1, convertCast},
                                       {"CastLike", 15, convertCastLike},
                                       {"Ceil", 1, convertUnary},
                                       {"Clip", 1, convertClip},
                                       {"Cos", 7, convertUnary},
                                       {"Cosh", 9, convertCosh},
                                       {"Div", 7, convertDiv},
                                       {"Erf", 9, convertUnary},
                                       {"Exp", 1, convertUnary},
                                       {"Floor", 1, convertUnary},
                                       {"Identity", 1, convertIdentity},
                                       {"Log", 1, convertLog},
                                       {"Max", 1, convertVariadic},
                                       {"Mean", 1, convertMean},
                                       {"Min", 1, convertVariadic},
                                       {"Mod", 10, convertMod},
                                       {"Mul", 7, convertMul},
                                       {"Neg", 1, convertUnary},
                                       {"Pow", 7, convertPow},
                                       {"Reciprocal", 1, convertUnary},
                                       {"Round", 11, convertUnary},
                                       {"Sign", 9, convertSign},
                                       {"Sin", 7, convertUnary},
                                       {"Sinh", 9, convertSinh},
                                       {"Sqrt", 1, convertUnary},
                                       {"Sub", 7, convertBinary},
                                       {"Sum", 1, convertVariadic},
                                       {"Tan", 7, convertTan},
                                       {"mpc:StopGradient", 1, convertStop}};
  return rows;
}
