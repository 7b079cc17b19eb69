// Nonlinear functions between layers.
#include "../Tables.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mpc;
using namespace mpc::onnx;
namespace expr = mpc::graph::expr;

static LogicalResult convertPlain(Node &n) {
  StringRef op = llvm::StringSwitch<StringRef>(n.proto.op_type())
                     .Case("Relu", "relu")
                     .Case("Sigmoid", "sigmoid")
                     .Case("Tanh", "tanh")
                     .Case("Softplus", "softplus")
                     .Case("HardSwish", "hardswish")
                     .Default("mish");
  return n.set(0, n.op(op, {n.floating(0)}));
}

static LogicalResult convertLeakyRelu(Node &n) {
  return n.set(0,
               n.op("leaky_relu", {n.floating(0)},
                    {{"negative_slope", n.realAttr(n.real("alpha", 0.01))}}));
}

static LogicalResult convertElu(Node &n) {
  return n.set(0, n.op("elu", {n.floating(0)},
                       {{"alpha", n.realAttr(n.real("alpha", 1.0))}}));
}

/// max(x, 0) + min(alpha * (e^(x / alpha) - 1), 0)
static LogicalResult convertCelu(Node &n) {
  double alpha = n.real("alpha", 1.0);
  Expr x = n.floating(0);
  if (!x)
    return failure();
  if (!(alpha > 0))
    return n.refuse("expected an alpha above 0");
  Expr scaled = n.op("elu", {x * (1.0 / alpha)}, {{"alpha", n.realAttr(1.0)}});
  return n.set(0, scaled ? scaled * alpha : Expr());
}

static LogicalResult convertSelu(Node &n) {
  double alpha = n.real("alpha", 1.67326319217681884765625);
  double gamma = n.real("gamma", 1.05070102214813232421875);
  Expr y = n.op("elu", {n.floating(0)}, {{"alpha", n.realAttr(alpha)}});
  return n.set(0, y ? y * gamma : Expr());
}

/// x if x > 0, else slope * x, with slopes that broadcast to x from the right.
static LogicalResult convertPRelu(Node &n) {
  Expr x = n.floating(0), slope = n.floating(1);
  if (!x || !slope)
    return failure();
  return n.set(0, n.select(expr::greater(x, 0.0), x, n.op("mul", {slope, x})));
}

/// max(0, min(1, alpha * x + beta)); PyTorch's is an op of its own.
static LogicalResult convertHardSigmoid(Node &n) {
  double alpha = n.real("alpha", 0.2), beta = n.real("beta", 0.5);
  Expr x = n.floating(0);
  if (!x)
    return failure();
  if (float(alpha) == float(1.0 / 6.0) && beta == 0.5)
    return n.set(0, n.op("hardsigmoid", {x}));
  return n.set(0, n.op("clamp", {x * alpha + beta},
                       {{"min", n.realAttr(0)}, {"max", n.realAttr(1)}}));
}

static LogicalResult convertSoftsign(Node &n) {
  Expr x = n.floating(0);
  return n.set(0, x ? x / (expr::abs(x) + 1.0) : Expr());
}

static LogicalResult convertGelu(Node &n) {
  std::string kind = n.text("approximate", "none");
  if (kind != "none" && kind != "tanh")
    return n.refuse("expected approximate to be 'none' or 'tanh', but got '" +
                    kind + "'");
  auto value = kind == "tanh" ? graph::GeluKind::Tanh : graph::GeluKind::Erf;
  return n.set(0, n.op("gelu", {n.floating(0)},
                       {{"kind", graph::GeluKindAttr::get(
                                     n.builder.getContext(), value)}}));
}

static LogicalResult convertSwish(Node &n) {
  double alpha = n.real("alpha", 1.0);
  Expr x = n.floating(0);
  if (!x)
    return failure();
  if (alpha == 1.0)
    return n.set(0, n.op("silu", {x}));
  return n.set(0, x * expr::sigmoid(x * alpha));
}

static LogicalResult convertThresholdedRelu(Node &n) {
  double alpha = n.real("alpha", 1.0);
  Expr x = n.floating(0);
  return n.set(0, x ? n.select(expr::greater(x, alpha), x, x.constant(0))
                    : Expr());
}

static LogicalResult convertShrink(Node &n) {
  double bias = n.real("bias", 0.0), lambd = n.real("lambd", 0.5);
  Expr x = n.floating(0);
  if (!x)
    return failure();
  Expr above = n.select(expr::greater(x, lambd), x - bias, x.constant(0));
  return n.set(0, n.select(expr::less(x, -lambd), x + bias, above));
}

/// `x` with the dims from `axis` on made one, as it was before opset 13.
static Expr flattenFrom(Node &n, Expr x, int64_t axis) {
  Shape shape(x.shape().take_front(axis));
  int64_t rest = 1;
  for (int64_t dim : x.shape().drop_front(axis))
    rest *= dim;
  shape.push_back(rest);
  return n.reshape(x, shape);
}

template <typename Make>
static LogicalResult alongAxis(Node &n, const Make &make) {
  bool isOld = n.opset < 13;
  Expr x = n.floating(0);
  if (!x)
    return failure();
  FailureOr<int64_t> axis = n.axis("axis", isOld ? 1 : -1, x.rank());
  if (failed(axis))
    return failure();
  Shape shape(x.shape());
  Expr rows = isOld ? flattenFrom(n, x, *axis) : x;
  Expr y = rows ? make(rows, *axis) : Expr();
  return n.set(0, y ? n.reshape(y, shape) : Expr());
}

static LogicalResult convertSoftmax(Node &n) {
  StringRef op = n.proto.op_type() == "Softmax" ? "softmax" : "log_softmax";
  return alongAxis(n, [&](Expr x, int64_t axis) {
    return n.op(op, {x}, {{"dim", n.integerAttr(axis)}});
  });
}

/// 1 at the first largest element, 0 beside it.
static LogicalResult convertHardmax(Node &n) {
  return alongAxis(n, [&](Expr x, int64_t axis) -> Expr {
    Type i32 = n.builder.getI32Type();
    Expr at = n.op("argmax", {x},
                   {{"dim", n.integerAttr(axis)},
                    {"keep_dims", n.unit()},
                    {"index_type", n.typeAttr(i32)}});
    Expr index =
        n.opAs("iota", x.shape(), i32, {}, {{"dim", n.integerAttr(axis)}});
    return n.cast(n.compare("eq", index, at), x.elementType());
  });
}

ArrayRef<Converter> mpc::onnx::activationConverters() {
  static constexpr Converter rows[] = {
      {"Celu", 12, convertCelu},
      {"Elu", 6, convertElu},
      {"Gelu", 20, convertGelu},
      {"HardSigmoid", 6, convertHardSigmoid},
      {"HardSwish", 14, convertPlain},
      {"Hardmax", 1, convertHardmax},
      {"LeakyRelu", 6, convertLeakyRelu},
      {"LogSoftmax", 1, convertSoftmax},
      {"Mish", 18, convertPlain},
      {"PRelu", 7, convertPRelu},
      {"Relu", 6, convertPlain},
      {"Selu", 6, convertSelu},
      {"Shrink", 9, convertShrink},
      {"Sigmoid", 6, convertPlain},
      {"Softmax", 1, convertSoftmax},
      {"Softplus", 1, convertPlain},
      {"Softsign", 1, convertSoftsign},
      {"Swish", 24, convertSwish},
      {"Tanh", 6, convertPlain},
      {"ThresholdedRelu", 10, convertThresholdedRelu}};
  return rows;
}
