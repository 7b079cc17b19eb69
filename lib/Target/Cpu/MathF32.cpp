// exp, log, expm1 and log1p of f32, and erf where a few digits will do.
//   exp   x = n ln2 + r, |r| <= ln2/2; e^r = 1 + r (1 + r q(r)) with the q of
//         degree 4 whose largest relative error is least (3e-9); n added to the
//         exponent
//   log   x = 2^e (1 + f), 1 + f in [1/sqrt2, sqrt2); with s = f / (2 + f) the
//         series 2 atanh(s) = f - s (f - R), R = 2/3 s^2 + 2/5 s^4 + ...: f is
//         exact, and what is subtracted from it at most a fifth of it
//   expm1 2^n (e^r - 1) + (2^n - 1), both sums in one rounding
//   log1p log of 1 + x rounded, with what the rounding lost added to f
// Where the emitter says that what is stored has 16 bits (fastmath<afn>):
//   exp   2^t, t = x / ln2 = n + f, |f| <= 1/2; 2^f = 1 + f q(f) with the q of
//         degree 3 whose largest relative error is least (2.8e-6)
//   erf   1 - 2^(z q(z)), z = |x|, with the sign of x; the q of degree 5 for
//         which erfc is off by 1.2e-6 of itself, or by 1.2e-8 at most where
//         that is more; from 9 on, where erfc is 2^-104 by it, it is clamped
#include "Lowering.h"
#include "MathFormula.h"
#include "mpc/Emit/KernelAttrs.h"

#include "mlir/IR/Matchers.h"

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
  /// The same, off by 1e-5 at most.
  Value roughExp(Value x);
  Value roughExpOfNegative(Value x);
  /// Off by 5e-6 at most.
  Value roughErf(Value x);
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
  /// 2^f for |f| <= 1/2.
  Value roughPower(Value f);
  /// t = x / ln2 = n + f, |f| <= 1/2, as `shifted` and `r` of reduce.
  Reduced roughReduce(Value x, double bias = 0);
  /// `power`, but what e^x gives below the normal numbers and above all.
  Value atEnds(Value x, Value power, double most);
  /// The larger one, `x` if it is NaN.
  Value atLeast(double least, Value x);
  /// `power` * 2^`shifted`, by integers.
  Value addToExponent(Value power, Value shifted);
  /// 2^`shifted`; 0 where no exponent is left.
  Value powerOfTwo(Value shifted);
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

Value F32Formula::addToExponent(Value power, Value shifted) {
  Value upper = arith::ShLIOp::create(b, asBits(shifted), bits(23));
  return asNumber(arith::AddIOp::create(b, asBits(power), upper));
}

Value F32Formula::powerOfTwo(Value shifted) {
  return asNumber(arith::ShLIOp::create(b, asBits(shifted), bits(23)));
}

Value F32Formula::atLeast(double least, Value x) {
  Value bound = number(least);
  return select(is(Predicate::OGT, bound, x), bound, x);
}

/// Results below the normal numbers are 0. Out of range `power` is garbage.
/// inf + x is inf, or NaN for NaN.
Value F32Formula::atEnds(Value x, Value power, double most) {
  Value tooLow = is(Predicate::OLT, x, number(-0x1.5d589ep6));
  Value tooHigh = is(Predicate::UGT, x, number(most));
  power = select(tooLow, number(0.0), power);
  return select(tooHigh, add(x, number(kInfinity)), power);
}

Value F32Formula::exp(Value x) {
  auto [shifted, n, r] = reduce(x);
  return atEnds(x, addToExponent(expOfReduced(r), shifted), 0x1.62e42ep6);
}

/// Nothing is too high, and 2^n of what is too low is 0, as a number without
/// exponent and mantissa. A product with it keeps NaN.
Value F32Formula::expOfNegative(Value x) {
  x = atLeast(-88.0, x); // n = -127
  auto [shifted, n, r] = reduce(x, /*bias=*/127);
  return mul(expOfReduced(r), powerOfTwo(shifted));
}

F32Formula::Reduced F32Formula::roughReduce(Value x, double bias) {
  Value magic = number(0x1.8p23 + bias), inverse = number(0x1.715476p0);
  Value shifted = fma(x, inverse, magic);
  Value n = sub(magic, shifted); // below 0, for one instruction less
  return {shifted, n, fma(x, inverse, n)};
}

Value F32Formula::roughPower(Value f) {
  return polynomial(
      f, {1.0, 0x1.62e12cp-1, 0x1.ec0326p-3, 0x1.c9fcb2p-5, 0x1.3a1804p-7});
}

/// The last number below that for the sake of the one beyond, whose quotient by
/// the rounded ln2 is 128: its power would be no number.
Value F32Formula::roughExp(Value x) {
  auto [shifted, n, f] = roughReduce(x);
  return atEnds(x, addToExponent(roughPower(f), shifted), 0x1.62e42cp6);
}

Value F32Formula::roughExpOfNegative(Value x) {
  auto [shifted, n, f] = roughReduce(atLeast(-88.0, x), /*bias=*/127);
  return mul(roughPower(f), powerOfTwo(shifted));
}

Value F32Formula::roughErf(Value x) {
  Value most = number(9.0), z = abs(x);
  z = select(is(Predicate::OLT, most, z), most, z);
  Value p = polynomial(z, {-0x1.a0c262p+0, -0x1.d5e942p-1, -0x1.34b6dcp-3,
                           0x1.072870p-5, -0x1.19c57ap-8, 0x1.110404p-12});
  Value t = mul(p, z), magic = number(0x1.8p23 + 127);
  Value shifted = add(t, magic);
  Value f = sub(t, sub(shifted, magic));
  Value complement = mul(roughPower(f), powerOfTwo(shifted));
  return withSign(sub(number(1.0), complement), x);
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

bool isF32(Operation *op) {
  return mlir::getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

bool mayApproximate(arith::FastMathFlags flags) {
  return arith::bitEnumContainsAll(flags, arith::FastMathFlags::afn);
}

/// Whether `x`, which is no NaN, is known to be at most 0: -|y| and -c * y * y.
bool isNeverPositive(Value x) {
  if (auto minus = x.getDefiningOp<arith::NegFOp>())
    return minus.getOperand().getDefiningOp<math::AbsFOp>() != nullptr;
  auto product = x.getDefiningOp<arith::MulFOp>();
  llvm::APFloat factor(0.0f);
  if (!product ||
      !mlir::matchPattern(product.getLhs(), mlir::m_ConstantFloat(&factor)))
    return false;
  auto square = product.getRhs().getDefiningOp<arith::MulFOp>();
  return square && square.getLhs() == square.getRhs() && factor.isNegative();
}

/// exp where nothing is above 0, or a few digits will do.
struct SpecialExpPattern final : mlir::OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    bool isNegative = op->hasAttr(emit::kNeverPositive) || isNeverPositive(x);
    bool isRough = mayApproximate(op.getFastmath());
    if (!isF32(op) || (!isNegative && !isRough))
      return rewriter.notifyMatchFailure(op,
                                         "of all numbers, to the last digit");
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    F32Formula f(b, op.getType());
    rewriter.replaceOp(op, isNegative && isRough ? f.roughExpOfNegative(x)
                           : isNegative          ? f.expOfNegative(x)
                                                 : f.roughExp(x));
    return success();
  }
};

struct RoughErfPattern final : mlir::OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32(op) || !mayApproximate(op.getFastmath()))
      return rewriter.notifyMatchFailure(op, "all digits are asked for");
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    F32Formula f(b, op.getType());
    rewriter.replaceOp(op, f.roughErf(op.getOperand()));
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
  patterns.add<SpecialExpPattern, RoughErfPattern>(patterns.getContext(),
                                                   kBenefit + 1);
}
