// exp, log, expm1, log1p, tanh, erf and pow of f64, and pow of f32. f64 is the
// type of verification, not of speed: textbook series.
//   exp   x = n ln2 + r, |r| <= ln2/2; Taylor series of e^r; times 2^n
//   log   x = 2^e m, m in [1/sqrt2, sqrt2); 2 atanh((m - 1)/(m + 1)) + e ln2
//   expm1 e^x - 1, with a series near 0
//   log1p log of u = 1 + x rounded, plus what the rounding lost over u
//   tanh  e^2x - 1 over e^2x + 1, with a series for e^2x - 1 near 0
//   erf   2/sqrt(pi) e^(-x^2) sum_n 2^n x^(2n+1) / (2n+1)!!, all terms positive
//   pow   exp(y log|x|), for f64 with the log in two numbers; the sign and
//         special cases of C's pow
#include "Lowering.h"
#include "MathFormula.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::target;
namespace arith = mlir::arith;
namespace math = mlir::math;

namespace {

class F64Formula : public MathFormula {
public:
  using MathFormula::MathFormula;

  Value exp(Value x) { return exp(x, Value()); }
  Value log(Value x);
  Value expm1(Value x);
  Value log1p(Value x);
  Value tanh(Value x);
  Value erf(Value x);
  /// Good for f64, or, which is faster, only to be rounded to f32.
  Value pow(Value x, Value y, bool isWide);

private:
  /// A number with twice as many digits: high + low, |low| <= ulp(high) / 2.
  struct Pair {
    Value high, low;
  };

  /// e^(x + low), |low| much smaller than 1; without `low`: e^x.
  Value exp(Value x, Value low);
  /// e^x - 1 for |x| up to 1, without cancellation.
  Value expm1Series(Value x);
  Value powerOfTwo(Value exponent);
  /// `x` = 2^exponent * mantissa, mantissa in [1/sqrt2, sqrt2).
  void split(Value x, Value &exponent, Value &mantissa);
  /// `result`, but what log gives for 0, inf, NaN and below 0.
  Value atSpecials(Value x, Value result);
  Pair logPair(Value x);
  /// x + y where |x| >= |y| or x is 0.
  Pair addExactly(Value x, Value y) {
    Value sum = add(x, y);
    return {sum, sub(y, sub(sum, x))};
  }
  Pair multiplyExactly(Value x, Value y) {
    Value product = mul(x, y);
    return {product, fma(x, y, negate(product))};
  }
  Value negate(Value x) { return arith::NegFOp::create(b, x); }
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// ln2 in two parts; the upper one has 32 trailing zero bits, so n * kLn2Upper
// is exact.
constexpr double kLn2Upper = 0x1.62e42fee00000p-1;
constexpr double kLn2Lower = 0x1.a39ef35793c76p-33;

/// 2^exponent for integers within the normal range.
Value F64Formula::powerOfTwo(Value exponent) {
  Value biased = arith::AddIOp::create(b, exponent, bits(1023));
  return asNumber(arith::ShLIOp::create(b, biased, bits(52)));
}

Value F64Formula::exp(Value x, Value low) {
  // Beyond these bounds the result is inf or 0 anyway; within them n is small.
  Value clamped = arith::MaximumFOp::create(
      b, arith::MinimumFOp::create(b, x, number(720.0)), number(-760.0));
  Value scaled = mul(clamped, number(1.4426950408889634));
  Value n = math::RoundEvenOp::create(b, scaled);
  Value r = fma(n, number(-kLn2Upper), clamped);
  r = fma(n, number(-kLn2Lower), r);
  if (low)
    r = add(r, low);
  SmallVector<double> taylor;
  for (double k = 0, factorial = 1; k < 15; ++k, factorial *= k)
    taylor.push_back(1.0 / factorial);
  Value series = polynomial(r, taylor);
  // 2^n in two factors, since n may lie beyond the normal exponents. NaN
  // becomes some integer here and is restored at the end.
  Value isNaN = is(Predicate::UNO, x, x);
  Value safe = select(isNaN, number(0.0), n);
  Value whole = arith::FPToSIOp::create(b, shaped(b.getI64Type()), safe);
  Value half = arith::ShRSIOp::create(b, whole, bits(1));
  Value rest = arith::SubIOp::create(b, whole, half);
  Value result = mul(mul(series, powerOfTwo(half)), powerOfTwo(rest));
  return select(isNaN, x, result);
}

void F64Formula::split(Value x, Value &exponent, Value &mantissa) {
  Value isSubnormal = is(Predicate::OLT, x, number(0x1p-1022));
  Value normal = select(isSubnormal, mul(x, number(0x1p54)), x);
  // Subtracting the bits of sqrt(1/2) leaves the exponent in the upper bits.
  constexpr int64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  Value word = asBits(normal);
  Value upper = arith::ShRSIOp::create(
      b, arith::SubIOp::create(b, word, bits(kSqrtHalf)), bits(52));
  mantissa = asNumber(arith::SubIOp::create(
      b, word, arith::ShLIOp::create(b, upper, bits(52))));
  exponent = sub(arith::SIToFPOp::create(b, type, upper),
                 select(isSubnormal, number(54.0), number(0.0)));
}

Value F64Formula::atSpecials(Value x, Value result) {
  result =
      select(is(Predicate::OEQ, x, number(0.0)), number(-kInfinity), result);
  result = select(is(Predicate::ULT, x, number(0.0)), number(kNaN), result);
  return select(is(Predicate::OEQ, x, number(kInfinity)), x, result);
}

/// The coefficients of 2 atanh(s) / s in s^2 from that of s^(first - 1) on.
static SmallVector<double> getAtanhSeries(int first) {
  SmallVector<double> coefficients;
  for (int k = first; k <= 23; k += 2)
    coefficients.push_back(2.0 / k);
  return coefficients;
}

Value F64Formula::log(Value x) {
  Value e, mantissa;
  split(x, e, mantissa);
  Value f = sub(mantissa, number(1.0));
  Value s = div(f, add(number(2.0), f));
  Value logMantissa = mul(s, polynomial(mul(s, s), getAtanhSeries(1)));
  Value result =
      fma(e, number(kLn2Upper), fma(e, number(kLn2Lower), logMantissa));
  return atSpecials(x, result);
}

/// As log, with s and s^3 as pairs: the error is below 2^-64 of the result.
F64Formula::Pair F64Formula::logPair(Value x) {
  Value e, mantissa;
  split(x, e, mantissa);
  Value f = sub(mantissa, number(1.0));
  auto [divisor, divisorLow] = addExactly(number(2.0), f);
  Value s = div(f, divisor);
  Value left = sub(fma(negate(s), divisor, f), mul(s, divisorLow));
  Value sLow = div(left, divisor);
  auto [square, squareRest] = multiplyExactly(s, s);
  Value squareLow = fma(add(s, s), sLow, squareRest);
  auto [cube, cubeRest] = multiplyExactly(square, s);
  Value cubeLow = add(cubeRest, fma(square, sLow, mul(squareLow, s)));
  constexpr double kTwoThirds = 2.0 / 3, kTwoThirdsLow = 0x1.5555555555555p-55;
  auto [third, thirdRest] = multiplyExactly(cube, number(kTwoThirds));
  Value thirdLow = add(thirdRest, fma(cube, number(kTwoThirdsLow),
                                      mul(cubeLow, number(kTwoThirds))));
  Value rest = mul(mul(cube, square), polynomial(square, getAtanhSeries(5)));

  auto [linear, linearLow] = addExactly(mul(e, number(kLn2Upper)), add(s, s));
  auto [high, highLow] = addExactly(linear, third);
  Value low = fma(e, number(kLn2Lower), add(sLow, sLow));
  low = add(add(low, add(thirdLow, rest)), add(linearLow, highLow));
  auto [sum, sumLow] = addExactly(high, low);
  return {atSpecials(x, sum), sumLow};
}

Value F64Formula::expm1Series(Value x) {
  SmallVector<double> taylor;
  for (double k = 1, factorial = 1; k < 22; ++k, factorial *= k)
    taylor.push_back(1.0 / factorial);
  return mul(x, polynomial(x, taylor));
}

Value F64Formula::expm1(Value x) {
  Value far = sub(exp(x), number(1.0));
  Value isNear = is(Predicate::OLT, abs(x), number(1.0));
  return select(isNear, expm1Series(x), far);
}

Value F64Formula::log1p(Value x) {
  Value rounded = add(number(1.0), x);
  Value lost = sub(x, sub(rounded, number(1.0)));
  Value result = log(rounded);
  Value isFinite = is(Predicate::OLT, abs(result), number(kInfinity));
  result = select(isFinite, add(result, div(lost, rounded)), result);
  return withSign(result, x);
}

Value F64Formula::tanh(Value x) {
  Value magnitude = abs(x);
  Value twice = add(magnitude, magnitude);
  // Far out: 1 - 2 / (e^2x + 1).
  Value far = sub(number(1.0), div(number(2.0), add(exp(twice), number(1.0))));
  Value near = expm1Series(twice);
  near = div(near, add(near, number(2.0)));
  Value isNear = is(Predicate::OLT, magnitude, number(0.5));
  return withSign(select(isNear, near, far), x);
}

Value F64Formula::erf(Value x) {
  // From |x| = 6 on, erf is 1 in f64. NaN passes the clamp.
  Value magnitude = arith::MinimumFOp::create(b, abs(x), number(6.0));
  Value square = mul(magnitude, magnitude);
  Value twice = add(square, square);
  constexpr int64_t kTerms = 130;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value terms = arith::ConstantIndexOp::create(b, kTerms);
  auto loop = mlir::scf::ForOp::create(
      b, zero, terms, one, ValueRange{magnitude, magnitude, number(3.0)},
      [&](OpBuilder &body, Location loc, Value, ValueRange state) {
        mlir::ImplicitLocOpBuilder inner(loc, body);
        F64Formula f(inner, type);
        Value term = f.mul(state[0], f.div(twice, state[2]));
        Value sum = f.add(state[1], term);
        Value divisor = f.add(state[2], f.number(2.0));
        mlir::scf::YieldOp::create(inner, ValueRange{term, sum, divisor});
      });
  Value bell = exp(sub(number(0.0), square));
  Value result = mul(mul(number(M_2_SQRTPI), bell), loop.getResult(1));
  // No rounding leads beyond 1, whatever is multiplied by 1 - erf: gelu of
  // large negative numbers is 0.
  result = arith::MinimumFOp::create(b, result, number(1.0));
  return withSign(result, x);
}

Value F64Formula::pow(Value x, Value y, bool isWide) {
  // log(0) = -inf and exp(+-inf) give the right limits for x = 0 and x = inf.
  Value power, low;
  if (isWide) {
    // An error of log is multiplied by up to 745, that of rounding y log x too.
    auto [high, logLow] = logPair(abs(x));
    auto [product, rest] = multiplyExactly(y, high);
    Value isInRange = is(Predicate::OLT, abs(product), number(1000.0));
    power = product;
    low = select(isInRange, fma(y, logLow, rest), number(0.0));
  } else {
    power = mul(y, log(abs(x)));
  }
  Value magnitude = exp(power, low);
  Value whole = is(Predicate::OEQ, math::FloorOp::create(b, y), y);
  Value halfY = mul(y, number(0.5));
  Value even = is(Predicate::OEQ, math::FloorOp::create(b, halfY), halfY);
  Value negative = is(Predicate::OLT, withSign(number(1.0), x), number(0.0));
  Value odd = arith::AndIOp::create(
      b, whole,
      arith::XOrIOp::create(b, even,
                            is(Predicate::UEQ, number(0.0), number(0.0))));
  Value flips = arith::AndIOp::create(b, negative, odd);
  Value result = select(flips, negate(magnitude), magnitude);
  // A finite negative base needs a whole exponent.
  Value isNegative = is(Predicate::OLT, x, number(0.0));
  Value finite = is(Predicate::OLT, abs(x), number(kInfinity));
  Value fraction = arith::XOrIOp::create(
      b, whole, is(Predicate::UEQ, number(0.0), number(0.0)));
  Value undefined = arith::AndIOp::create(
      b, arith::AndIOp::create(b, isNegative, finite), fraction);
  result = select(undefined, number(kNaN), result);
  // pow(x, 0) = 1 and pow(1, y) = 1 even for NaN; pow(-1, +-inf) = 1.
  Value isOne = arith::OrIOp::create(b, is(Predicate::OEQ, y, number(0.0)),
                                     is(Predicate::OEQ, x, number(1.0)));
  Value unitBase =
      arith::AndIOp::create(b, is(Predicate::OEQ, x, number(-1.0)),
                            is(Predicate::OEQ, abs(y), number(kInfinity)));
  return select(arith::OrIOp::create(b, isOne, unitBase), number(1.0), result);
}

/// pow of f32 is computed in f64 too: exp(y log x) in f32 would lose all
/// digits of large results.
struct PowPattern final : mlir::OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type narrow = op.getType();
    Type wide = b.getF64Type();
    if (auto vector = dyn_cast<mlir::VectorType>(narrow))
      wide = vector.clone(wide);
    auto widen = [&](Value value) -> Value {
      return narrow == wide ? value
                            : arith::ExtFOp::create(b, wide, value).getResult();
    };
    bool isWide = narrow == wide;
    Value result =
        F64Formula(b, wide).pow(widen(op.getLhs()), widen(op.getRhs()), isWide);
    if (!isWide)
      result = arith::TruncFOp::create(b, narrow, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mpc::target::populateMathF64Patterns(RewritePatternSet &patterns) {
  patterns
      .add<UnaryMathPattern<F64Formula, 64, math::ExpOp, &F64Formula::exp>,
           UnaryMathPattern<F64Formula, 64, math::LogOp, &F64Formula::log>,
           UnaryMathPattern<F64Formula, 64, math::ExpM1Op, &F64Formula::expm1>,
           UnaryMathPattern<F64Formula, 64, math::Log1pOp, &F64Formula::log1p>,
           UnaryMathPattern<F64Formula, 64, math::TanhOp, &F64Formula::tanh>,
           UnaryMathPattern<F64Formula, 64, math::ErfOp, &F64Formula::erf>,
           PowPattern>(patterns.getContext());
}
