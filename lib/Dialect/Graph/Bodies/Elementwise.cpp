// Family Elementwise: the computation of one element, and which ops a library
// call can absorb.
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <numbers>

using namespace mpc;
using namespace mpc::graph;
namespace arith = mlir::arith;
namespace math = mlir::math;
using Body = mlir::ImplicitLocOpBuilder;

namespace {
bool isFloat(Value value) {
  return isa<FloatType>(mlir::getElementTypeOrSelf(value));
}

/// `number` in the type of `like`, repeated if that is a vector.
Value constant(Body &b, Value like, double number) {
  Type type = like.getType(), element = mlir::getElementTypeOrSelf(type);
  mlir::TypedAttr attr =
      isa<FloatType>(element)
          ? mlir::TypedAttr(b.getFloatAttr(element, number))
          : mlir::TypedAttr(b.getIntegerAttr(element, int64_t(number)));
  if (auto vector = dyn_cast<mlir::VectorType>(type))
    attr = mlir::DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

template <typename FloatOp, typename IntOp>
Value floatOrInt(Body &b, ValueRange args) {
  Type type = args[0].getType();
  return isFloat(args[0]) ? FloatOp::create(b, type, args).getResult()
                          : IntOp::create(b, type, args).getResult();
}

Value add(Body &b, Value x, Value y) { return arith::AddFOp::create(b, x, y); }
Value mul(Body &b, Value x, Value y) { return arith::MulFOp::create(b, x, y); }

/// 1 / (1 + exp(-x)) without overflow: with e = exp(-|x|), 1 / (1 + e) for
/// x >= 0 and e / (1 + e) below, which keeps the digits of small results.
Value sigmoid(Body &b, Value x) {
  Value one = constant(b, x, 1.0), zero = constant(b, x, 0.0);
  Value e = math::ExpOp::create(
      b, arith::NegFOp::create(b, math::AbsFOp::create(b, x)));
  Value below = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, zero);
  Value numerator = arith::SelectOp::create(b, below, e, one);
  return arith::DivFOp::create(b, numerator, add(b, one, e));
}

/// x/2 * (1 + erf(x / sqrt(2)))
Value geluErf(Body &b, Value x) {
  Value erf = math::ErfOp::create(
      b, mul(b, x, constant(b, x, 1.0 / std::numbers::sqrt2)));
  return mul(b, mul(b, constant(b, x, 0.5), x),
             add(b, constant(b, x, 1.0), erf));
}

/// x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
Value geluTanh(Body &b, Value x) {
  double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  Value cube = mul(b, mul(b, x, x), x);
  Value inner = mul(b, constant(b, x, scale),
                    add(b, x, mul(b, constant(b, x, 0.044715), cube)));
  return mul(b, mul(b, constant(b, x, 0.5), x),
             add(b, constant(b, x, 1.0), math::TanhOp::create(b, inner)));
}

/// P(x) + x * p(x), with P(x) = (1 + erf(x / sqrt(2))) / 2 and its derivative
/// p(x) = exp(-x^2 / 2) / sqrt(2 pi).
Value geluErfSlope(Body &b, Value x) {
  Value erf = math::ErfOp::create(
      b, mul(b, x, constant(b, x, 1.0 / std::numbers::sqrt2)));
  Value cumulative =
      mul(b, constant(b, x, 0.5), add(b, constant(b, x, 1.0), erf));
  Value gauss =
      math::ExpOp::create(b, mul(b, constant(b, x, -0.5), mul(b, x, x)));
  double norm = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  Value density = mul(b, constant(b, x, norm), gauss);
  return add(b, cumulative, mul(b, x, density));
}

/// gelu(x) is x * s with s = sigmoid(2 u), u = k * (x + c * x^3): the slope is
/// s + x * s * (1 - s) * 2 u'. With e = exp(-|2 u|), s * (1 - s) is
/// e / (1 + e)^2, where 1 - tanh(u)^2 would lose its digits.
Value geluTanhSlope(Body &b, Value x) {
  double k = std::numbers::sqrt2 * std::numbers::inv_sqrtpi, c = 0.044715;
  Value one = constant(b, x, 1.0), zero = constant(b, x, 0.0);
  Value square = mul(b, x, x);
  Value bracket = add(b, one, mul(b, constant(b, x, c), square));
  Value twice = mul(b, constant(b, x, 2 * k), mul(b, x, bracket));
  Value e = math::ExpOp::create(
      b, arith::NegFOp::create(b, math::AbsFOp::create(b, twice)));
  Value d = arith::DivFOp::create(b, one, add(b, one, e));
  Value below = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, zero);
  Value ed = mul(b, e, d);
  Value s = arith::SelectOp::create(b, below, ed, d);
  Value slope = mul(b, constant(b, x, 2 * k),
                    add(b, one, mul(b, constant(b, x, 3 * c), square)));
  return add(b, s, mul(b, mul(b, x, mul(b, ed, d)), slope));
}

/// The halves of a 64-bit product of unsigned 32-bit words: {low, high}.
std::pair<Value, Value> multiplyWide(Body &b, Value x, uint32_t factor) {
  auto product = arith::MulUIExtendedOp::create(
      b, x, constant(b, x, static_cast<int32_t>(factor)));
  return {product.getLow(), product.getHigh()};
}

Value exclusiveOr(Body &b, Value x, Value y, Value z) {
  return arith::XOrIOp::create(b, arith::XOrIOp::create(b, x, y), z);
}

/// Ten rounds of Philox4x32; `counter` becomes the random words.
void philox(Body &b, std::array<Value, 4> &counter, std::array<Value, 2> key) {
  auto raise = [&](Value &word, uint32_t by) {
    word = arith::AddIOp::create(b, word,
                                 constant(b, word, static_cast<int32_t>(by)));
  };
  for (int round = 0; round < 10; ++round) {
    auto [low0, high0] = multiplyWide(b, counter[0], 0xD2511F53);
    auto [low2, high2] = multiplyWide(b, counter[2], 0xCD9E8D57);
    counter = {exclusiveOr(b, high2, counter[1], key[0]), low2,
               exclusiveOr(b, high0, counter[3], key[1]), low0};
    raise(key[0], 0x9E3779B9);
    raise(key[1], 0xBB67AE85);
  }
}

arith::CmpFPredicate floatPredicate(ComparePredicate predicate) {
  switch (predicate) {
  case ComparePredicate::Eq:
    return arith::CmpFPredicate::OEQ;
  case ComparePredicate::Ne:
    return arith::CmpFPredicate::UNE;
  case ComparePredicate::Lt:
    return arith::CmpFPredicate::OLT;
  case ComparePredicate::Le:
    return arith::CmpFPredicate::OLE;
  case ComparePredicate::Gt:
    return arith::CmpFPredicate::OGT;
  case ComparePredicate::Ge:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("all predicates are listed");
}

arith::CmpIPredicate intPredicate(ComparePredicate predicate) {
  switch (predicate) {
  case ComparePredicate::Eq:
    return arith::CmpIPredicate::eq;
  case ComparePredicate::Ne:
    return arith::CmpIPredicate::ne;
  case ComparePredicate::Lt:
    return arith::CmpIPredicate::slt;
  case ComparePredicate::Le:
    return arith::CmpIPredicate::sle;
  case ComparePredicate::Gt:
    return arith::CmpIPredicate::sgt;
  case ComparePredicate::Ge:
    return arith::CmpIPredicate::sge;
  }
  llvm_unreachable("all predicates are listed");
}
} // namespace

Value AddOp::buildBody(Body &b, ValueRange args) {
  return floatOrInt<arith::AddFOp, arith::AddIOp>(b, args);
}
Value SubOp::buildBody(Body &b, ValueRange args) {
  return floatOrInt<arith::SubFOp, arith::SubIOp>(b, args);
}
Value MulOp::buildBody(Body &b, ValueRange args) {
  return floatOrInt<arith::MulFOp, arith::MulIOp>(b, args);
}
Value DivOp::buildBody(Body &b, ValueRange args) {
  return arith::DivFOp::create(b, args[0], args[1]);
}
Value PowOp::buildBody(Body &b, ValueRange args) {
  return math::PowFOp::create(b, args[0], args[1]);
}
// arith.maximumf and minimumf propagate NaN, as PyTorch does.
Value MaximumOp::buildBody(Body &b, ValueRange args) {
  return floatOrInt<arith::MaximumFOp, arith::MaxSIOp>(b, args);
}
Value MinimumOp::buildBody(Body &b, ValueRange args) {
  return floatOrInt<arith::MinimumFOp, arith::MinSIOp>(b, args);
}
Value NegOp::buildBody(Body &b, ValueRange args) {
  if (isFloat(args[0]))
    return arith::NegFOp::create(b, args[0]);
  return arith::SubIOp::create(b, constant(b, args[0], 0), args[0]);
}
Value AbsOp::buildBody(Body &b, ValueRange args) {
  Value x = args[0];
  if (isFloat(x))
    return math::AbsFOp::create(b, x);
  Value negated = arith::SubIOp::create(b, constant(b, x, 0), x);
  return arith::MaxSIOp::create(b, x, negated);
}
Value ExpOp::buildBody(Body &b, ValueRange args) {
  return math::ExpOp::create(b, args[0]);
}
Value LogOp::buildBody(Body &b, ValueRange args) {
  return math::LogOp::create(b, args[0]);
}
Value SqrtOp::buildBody(Body &b, ValueRange args) {
  return math::SqrtOp::create(b, args[0]);
}
// Two exactly rounded steps; math.rsqrt would be an approximation.
Value RsqrtOp::buildBody(Body &b, ValueRange args) {
  Value root = math::SqrtOp::create(b, args[0]);
  return arith::DivFOp::create(b, constant(b, root, 1.0), root);
}
Value ErfOp::buildBody(Body &b, ValueRange args) {
  return math::ErfOp::create(b, args[0]);
}
Value TanhOp::buildBody(Body &b, ValueRange args) {
  return math::TanhOp::create(b, args[0]);
}
Value SigmoidOp::buildBody(Body &b, ValueRange args) {
  return sigmoid(b, args[0]);
}
Value ReluOp::buildBody(Body &b, ValueRange args) {
  return arith::MaximumFOp::create(b, args[0], constant(b, args[0], 0.0));
}
Value GeluOp::buildBody(Body &b, ValueRange args) {
  return getKind() == GeluKind::Erf ? geluErf(b, args[0])
                                    : geluTanh(b, args[0]);
}
Value GeluBackwardOp::buildBody(Body &b, ValueRange args) {
  Value slope = getKind() == GeluKind::Erf ? geluErfSlope(b, args[1])
                                           : geluTanhSlope(b, args[1]);
  return mul(b, args[0], slope);
}
Value CompareOp::buildBody(Body &b, ValueRange args) {
  if (isFloat(args[0]))
    return arith::CmpFOp::create(b, floatPredicate(getPredicate()), args[0],
                                 args[1]);
  return arith::CmpIOp::create(b, intPredicate(getPredicate()), args[0],
                               args[1]);
}
Value SelectOp::buildBody(Body &b, ValueRange args) {
  return arith::SelectOp::create(b, args[0], args[1], args[2]);
}

SmallVector<Value> PhiloxOp::buildBodies(Body &b, ValueRange args) {
  std::array<Value, 4> counter{args[0], args[1], args[2], args[3]};
  philox(b, counter, {args[4], args[5]});
  return llvm::to_vector(counter);
}

/// A bias is a vector added along the last dim.
std::optional<Epilogue> AddOp::getEpilogue() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  bool isBias = lhs == getType() && lhs.getRank() > 1 && rhs.getRank() == 1 &&
                rhs.getDimSize(0) == lhs.getShape().back();
  return isBias ? std::optional(Epilogue::Bias) : std::nullopt;
}
std::optional<Epilogue> TanhOp::getEpilogue() { return Epilogue::Tanh; }
std::optional<Epilogue> SigmoidOp::getEpilogue() { return Epilogue::Sigmoid; }
std::optional<Epilogue> ReluOp::getEpilogue() { return Epilogue::Relu; }
std::optional<Epilogue> GeluOp::getEpilogue() {
  return getKind() == GeluKind::Erf ? Epilogue::GeluErf : Epilogue::GeluTanh;
}
/// Of the cotangent: libraries multiply a product with the derivative.
std::optional<Epilogue> GeluBackwardOp::getEpilogue() {
  return getKind() == GeluKind::Erf ? std::nullopt
                                    : std::optional(Epilogue::GeluTanhBackward);
}
