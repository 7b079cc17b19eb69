// Family Activation: the computation of one element, and which ops a library
// call can absorb.
#include "mpc/Dialect/Graph/IR/Ops/Activation.h"
#include "Body.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <numbers>

using namespace mpc;
using namespace mpc::graph;
namespace arith = mlir::arith;
namespace math = mlir::math;

namespace {
/// 1 / (1 + exp(-x)) without overflow: with e = exp(-|x|), 1 / (1 + e) for
/// x >= 0 and e / (1 + e) below, which keeps the digits of small results.
Value sigmoid(Body &b, Value x) {
  Value one = constant(b, x, 1.0), zero = constant(b, x, 0.0);
  Value e = expOfNegatedMagnitude(b, x);
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
  Value e = expOfNegatedMagnitude(b, twice);
  Value d = arith::DivFOp::create(b, one, add(b, one, e));
  Value below = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, zero);
  Value ed = mul(b, e, d);
  Value s = arith::SelectOp::create(b, below, ed, d);
  Value slope = mul(b, constant(b, x, 2 * k),
                    add(b, one, mul(b, constant(b, x, 3 * c), square)));
  return add(b, s, mul(b, mul(b, x, mul(b, ed, d)), slope));
}

/// min(max(x + 3, 0), 6)
Value ramp(Body &b, Value x) {
  Value raised = add(b, x, constant(b, x, 3.0));
  return minimum(b, maximum(b, raised, 0.0), 6.0);
}
} // namespace

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
Value SiluOp::buildBody(Body &b, ValueRange args) {
  return mul(b, args[0], sigmoid(b, args[0]));
}
// With e = exp(-|x|), tanh(ln(1 + e^x)) is a quotient without cancellation:
// (1 + 2e) / (1 + 2e + 2e^2) for x > 0, and (2e + e^2) / (2 + 2e + e^2) below.
Value MishOp::buildBody(Body &b, ValueRange args) {
  Value x = args[0], one = constant(b, x, 1.0), two = constant(b, x, 2.0);
  Value e = expOfNegatedMagnitude(b, x), square = mul(b, e, e);
  Value twice = add(b, e, e), positive = isPositive(b, x);
  Value above = select(b, positive, add(b, one, twice), add(b, twice, square));
  Value more = select(b, positive, mul(b, two, square), two);
  return mul(b, x, div(b, above, add(b, above, more)));
}
Value HardsigmoidOp::buildBody(Body &b, ValueRange args) {
  return div(b, ramp(b, args[0]), constant(b, args[0], 6.0));
}
Value HardswishOp::buildBody(Body &b, ValueRange args) {
  Value x = args[0];
  return mul(b, x, div(b, ramp(b, x), constant(b, x, 6.0)));
}
Value LeakyReluOp::buildBody(Body &b, ValueRange args) {
  Value x = args[0];
  double slope = getNegativeSlope().convertToDouble();
  return select(b, isPositive(b, x), x, mul(b, x, constant(b, x, slope)));
}
Value EluOp::buildBody(Body &b, ValueRange args) {
  Value x = args[0];
  Value alpha = constant(b, x, getAlpha().convertToDouble());
  Value below = mul(b, alpha, math::ExpM1Op::create(b, x));
  return select(b, isPositive(b, x), x, below);
}
// max(x, 0) + ln(1 + e^(-beta |x|)) / beta
Value SoftplusOp::buildBody(Body &b, ValueRange args) {
  Value x = args[0];
  double beta = getBeta().convertToDouble();
  Value scaled = beta == 1 ? x : mul(b, x, constant(b, x, beta));
  Value rest = math::Log1pOp::create(b, expOfNegatedMagnitude(b, scaled));
  if (beta != 1)
    rest = div(b, rest, constant(b, x, beta));
  return add(b, maximum(b, x, 0.0), rest);
}

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
