// exp, log, expm1 and log1p of f32.
//   exp   x = n ln2 + r, |r| <= ln2/2; e^r = 1 + r (1 + r q(r)) with the q of
//         degree 4 whose largest relative error is least (3e-9); n added to the
//         exponent
//   log   x = 2^e (1 + f), 1 + f in [1/sqrt2, sqrt2); with s = f / (2 + f) the
//         series 2 atanh(s) = f - s (f - R), R = 2/3 s^2 + 2/5 s^4 + ...: f is
//         exact, and what is subtracted from it at most a fifth of it
//   expm1 2^n (e^r - 1) + (2^n - 1), both sums in one rounding
//   log1p log of 1 + x rounded, with what the rounding lost added to f
#include "Lowering.h"
#include "MathFormula.h"
#include "mpc/Emit/KernelAttrs.h"

#include <limits>

using namespace mpc;
using namespace mpc::target;
namespace arith = mlir::arith;
namespace math = mlir::math;

namespace {

class F32Formula : public MathFormula {
public:
  using MathFormula::MathFormula;

  Value exp(Value x);
  /// exp of what is below 0, 0 or NaN.
  Value expOfNegative(Value x);
  Value log(Value x);
  Value expm1(Value x);
  Value log1p(Value x);

private:
  /// x = n ln2 + r, |r| <= ln2/2; n + `bias` in the low bits of `shifted`.
  struct Reduced {
    Value shifted, n, r;
  };
  Reduced reduce(Value x, double bias = 0);
  /// e^r for |r| <= ln2/2.
  Value expOfReduced(Value r);
  /// x = 2^exponent (1 + f), 1 + f in [1/sqrt2, sqrt2), for normal x.
  struct Parts {
    Value exponent, f;
  };
  Parts split(Value x);
  /// log of 2^e (1 + f).
  Value logOfParts(Value e, Value f);
  /// `result`, but what log gives for 0, inf, NaN and below 0.
  Value atSpecials(Value x, Value result);
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// ln2 in two parts; the upper one has 15 bits, so n * kLn2Upper is exact.
constexpr double kLn2Upper = 0x1.62e4p-1;
constexpr double kLn2Lower = 0x1.7f7d1cp-20;

F32Formula::Reduced F32Formula::reduce(Value x, double bias) {
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  Value magic = number(0x1.8p23 + bias);
  Value shifted = fma(x, number(0x1.715476p0), magic);
  Value n = sub(shifted, magic);
  Value r = fma(n, number(-kLn2Upper), x);
  return {shifted, n, fma(n, number(-kLn2Lower), r)};
}

/// Two halves of q side by side: what follows waits for fewer products.
Value F32Formula::expOfReduced(Value r) {
  Value square = mul(r, r);
  Value low = fma(r, number(0x1.555490p-3), number(0x1.fffffcp-2));
  Value middle = fma(r, number(0x1.123b02p-7), number(0x1.5558f8p-5));
  Value q = fma(square, number(0x1.6a2256p-10), middle);
  q = fma(square, q, low);
  Value one = number(1.0);
  return fma(fma(q, r, one), r, one);
}

Value F32Formula::exp(Value x) {
  auto [shifted, n, r] = reduce(x);
  Value upper = arith::ShLIOp::create(b, asBits(shifted), bits(23));
  Value result =
      asNumber(arith::AddIOp::create(b, asBits(expOfReduced(r)), upper));
  // Results below the normal numbers are 0. Out of range the above is garbage.
  // inf + x is inf, or NaN for NaN.
  Value tooLow = is(Predicate::OLT, x, number(-0x1.5d589ep6));
  Value tooHigh = is(Predicate::UGT, x, number(0x1.62e42ep6));
  result = select(tooLow, number(0.0), result);
  return select(tooHigh, add(x, number(kInfinity)), result);
}

/// Nothing is too high, and 2^n of what is too low is 0, as a number without
/// exponent and mantissa. A product with it keeps NaN.
Value F32Formula::expOfNegative(Value x) {
  Value least = number(-88.0); // n = -127
  x = select(is(Predicate::OGT, least, x), least, x);
  auto [shifted, n, r] = reduce(x, /*bias=*/127);
  Value power = asNumber(arith::ShLIOp::create(b, asBits(shifted), bits(23)));
  return mul(expOfReduced(r), power);
}

F32Formula::Parts F32Formula::split(Value x) {
  // Subtracting the bits of sqrt(1/2) leaves the exponent in the upper bits.
  constexpr int32_t kSqrtHalf = 0x3f3504f3;
  Value word = asBits(x);
  Value exponent = arith::ShRSIOp::create(
      b, arith::SubIOp::create(b, word, bits(kSqrtHalf)), bits(23));
  Value mantissa = asNumber(arith::SubIOp::create(
      b, word, arith::ShLIOp::create(b, exponent, bits(23))));
  return {exponent, sub(mantissa, number(1.0))};
}

Value F32Formula::logOfParts(Value e, Value f) {
  // s^2 < 0.03: what the series leaves out is below 2^-28 of the result.
  Value s = div(f, add(number(2.0), f));
  Value square = mul(s, s);
  Value rest =
      mul(square, polynomial(square, {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9}));
  Value subtrahend = fma(e, number(-kLn2Lower), mul(s, sub(f, rest)));
  return fma(e, number(kLn2Upper), sub(f, subtrahend));
}

Value F32Formula::atSpecials(Value x, Value result) {
  result =
      select(is(Predicate::OEQ, x, number(0.0)), number(-kInfinity), result);
  result = select(is(Predicate::ULT, x, number(0.0)),
                  number(std::numeric_limits<double>::quiet_NaN()), result);
  return select(is(Predicate::OEQ, x, number(kInfinity)), x, result);
}

Value F32Formula::log(Value x) {
  Value isSubnormal = is(Predicate::OLT, x, number(0x1p-126));
  auto [exponent, f] = split(select(isSubnormal, mul(x, number(0x1p23)), x));
  Value e = arith::SIToFPOp::create(b, type, exponent);
  e = sub(e, select(isSubnormal, number(23.0), number(0.0)));
  return atSpecials(x, logOfParts(e, f));
}

Value F32Formula::expm1(Value x) {
  // Below this bound the result is -1; above the upper one it is inf.
  Value clamped = arith::MinimumFOp::create(
      b, arith::MaximumFOp::create(b, x, number(-20.0)), number(89.0));
  auto [shifted, n, r] = reduce(clamped);
  Value series = polynomial(r, {1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120,
                                1.0 / 720, 1.0 / 5040, 1.0 / 40320});
  series = fma(mul(r, r), series, r);
  // With 2^(n - 1), which is finite for n = 128.
  Value half = asNumber(arith::AddIOp::create(
      b, arith::ShLIOp::create(b, asBits(shifted), bits(23)),
      bits(int64_t(126) << 23)));
  Value result = fma(half, series, sub(half, number(0.5)));
  result = add(result, result);
  // Half of a subnormal number would lose a digit.
  result = select(is(Predicate::OEQ, n, number(0.0)), series, result);
  return withSign(result, x);
}

Value F32Formula::log1p(Value x) {
  Value rounded = add(number(1.0), x);
  Value lost = sub(x, sub(rounded, number(1.0)));
  auto [exponent, f] = split(rounded);
  // 2^-exponent; where the exponent is large, nothing of weight was lost.
  Value small = arith::MinSIOp::create(b, exponent, bits(100));
  Value scale = asNumber(arith::ShLIOp::create(
      b, arith::SubIOp::create(b, bits(127), small), bits(23)));
  Value e = arith::SIToFPOp::create(b, type, exponent);
  Value result = logOfParts(e, fma(lost, scale, f));
  return withSign(atSpecials(rounded, result), x);
}

/// exp where the emitter knows that nothing is above 0.
struct NeverPositivePattern final : mlir::OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!op->hasAttr(emit::kNeverPositive) ||
        !mlir::getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "may be positive, or no f32");
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    F32Formula formula(b, op.getType());
    rewriter.replaceOp(op, formula.expOfNegative(op.getOperand()));
    return success();
  }
};

} // namespace

void mpc::target::populateMathF32Patterns(RewritePatternSet &patterns) {
  // Before MLIR's approximations of the same ops.
  constexpr unsigned kBenefit = 2;
  patterns
      .add<UnaryMathPattern<F32Formula, 32, math::ExpOp, &F32Formula::exp>,
           UnaryMathPattern<F32Formula, 32, math::LogOp, &F32Formula::log>,
           UnaryMathPattern<F32Formula, 32, math::ExpM1Op, &F32Formula::expm1>,
           UnaryMathPattern<F32Formula, 32, math::Log1pOp, &F32Formula::log1p>>(
          patterns.getContext(), kBenefit);
  patterns.add<NeverPositivePattern>(patterns.getContext(), kBenefit + 1);
}
