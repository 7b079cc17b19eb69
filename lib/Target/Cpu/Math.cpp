// Transcendental functions as polynomials, so that kernels call no library.
//
// f32: MLIR's approximations (bounds in docs/Precision.md), but an exp of our
// own, half as many instructions, and pow computed in f64. f64 is the type of
// verification, not of speed: textbook series.
//   exp   x = n ln2 + r, |r| <= ln2/2; Taylor series of e^r; times 2^n
//   log   x = 2^e m, m in [1/sqrt2, sqrt2); 2 atanh((m - 1)/(m + 1)) + e ln2
//   tanh  e^2x - 1 over e^2x + 1, with a series for e^2x - 1 near 0
//   erf   2/sqrt(pi) e^(-x^2) sum_n 2^n x^(2n+1) / (2n+1)!!, all terms positive
//   pow   exp(y log|x|), with the sign and special cases of C's pow
#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <cmath>
#include <limits>

using namespace mpc;
namespace arith = mlir::arith;
namespace math = mlir::math;
using Predicate = arith::CmpFPredicate;

namespace {

/// Writes f64 formulas on scalars or vectors of one shape.
class F64Formula {
public:
  F64Formula(mlir::ImplicitLocOpBuilder &b, Type type) : b(b), type(type) {}

  Value number(double value) { return splat(b.getF64FloatAttr(value)); }
  Value bits(int64_t value) { return splat(b.getI64IntegerAttr(value)); }

  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value is(Predicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value withSign(Value magnitude, Value sign) {
    return math::CopySignOp::create(b, magnitude, sign);
  }

  /// coefficients[0] + x (coefficients[1] + x (...)).
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, number(coefficient));
    return sum;
  }

  Value exp(Value x);
  Value log(Value x);
  Value tanh(Value x);
  Value erf(Value x);
  Value pow(Value x, Value y);

private:
  Type shaped(Type element) {
    if (auto vector = dyn_cast<mlir::VectorType>(type))
      return vector.clone(element);
    return element;
  }
  Value splat(mlir::TypedAttr attr) {
    if (auto vector = dyn_cast<mlir::VectorType>(shaped(attr.getType())))
      attr = mlir::DenseElementsAttr::get(vector, static_cast<Attribute>(attr));
    return arith::ConstantOp::create(b, attr);
  }
  Value asBits(Value x) {
    return arith::BitcastOp::create(b, shaped(b.getI64Type()), x);
  }
  Value asNumber(Value x) { return arith::BitcastOp::create(b, type, x); }
  Value powerOfTwo(Value exponent);

  mlir::ImplicitLocOpBuilder &b;
  Type type;
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

Value F64Formula::exp(Value x) {
  // Beyond these bounds the result is inf or 0 anyway; within them n is small.
  Value clamped = arith::MaximumFOp::create(
      b, arith::MinimumFOp::create(b, x, number(720.0)), number(-760.0));
  Value scaled = mul(clamped, number(1.4426950408889634));
  Value n = math::RoundEvenOp::create(b, scaled);
  Value r = fma(n, number(-kLn2Upper), clamped);
  r = fma(n, number(-kLn2Lower), r);
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

Value F64Formula::log(Value x) {
  Value isSubnormal = is(Predicate::OLT, x, number(0x1p-1022));
  Value normal = select(isSubnormal, mul(x, number(0x1p54)), x);
  // Subtracting the bits of sqrt(1/2) leaves the exponent in the upper bits.
  constexpr int64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  Value word = asBits(normal);
  Value exponent = arith::ShRSIOp::create(
      b, arith::SubIOp::create(b, word, bits(kSqrtHalf)), bits(52));
  Value mantissa = asNumber(arith::SubIOp::create(
      b, word, arith::ShLIOp::create(b, exponent, bits(52))));
  Value e = arith::SIToFPOp::create(b, type, exponent);
  e = sub(e, select(isSubnormal, number(54.0), number(0.0)));

  Value f = sub(mantissa, number(1.0));
  Value s = div(f, add(number(2.0), f));
  SmallVector<double> atanh;
  for (int k = 1; k <= 23; k += 2)
    atanh.push_back(2.0 / k);
  Value logMantissa = mul(s, polynomial(mul(s, s), atanh));
  Value result =
      fma(e, number(kLn2Upper), fma(e, number(kLn2Lower), logMantissa));

  result =
      select(is(Predicate::OEQ, x, number(0.0)), number(-kInfinity), result);
  result = select(is(Predicate::ULT, x, number(0.0)), number(kNaN), result);
  return select(is(Predicate::OEQ, x, number(kInfinity)), x, result);
}

Value F64Formula::tanh(Value x) {
  Value magnitude = abs(x);
  Value twice = add(magnitude, magnitude);
  // Far out: 1 - 2 / (e^2x + 1).
  Value far = sub(number(1.0), div(number(2.0), add(exp(twice), number(1.0))));
  // Near 0: the series of e^t - 1 at t = 2x, without cancellation.
  SmallVector<double> taylor;
  for (double k = 1, factorial = 1; k < 22; ++k, factorial *= k)
    taylor.push_back(1.0 / factorial);
  Value near = mul(twice, polynomial(twice, taylor));
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
  return withSign(result, x);
}

Value F64Formula::pow(Value x, Value y) {
  Value magnitude = exp(mul(y, log(abs(x))));
  // log(0) = -inf and exp(+-inf) give the right limits for x = 0 and x = inf.
  Value whole = is(Predicate::OEQ, math::FloorOp::create(b, y), y);
  Value halfY = mul(y, number(0.5));
  Value even = is(Predicate::OEQ, math::FloorOp::create(b, halfY), halfY);
  Value negative = is(Predicate::OLT, withSign(number(1.0), x), number(0.0));
  Value odd = arith::AndIOp::create(
      b, whole,
      arith::XOrIOp::create(b, even,
                            is(Predicate::UEQ, number(0.0), number(0.0))));
  Value flips = arith::AndIOp::create(b, negative, odd);
  Value result = select(flips, sub(number(0.0), magnitude), magnitude);
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

template <typename MathOp, Value (F64Formula::*formula)(Value)>
struct UnaryF64Pattern final : mlir::OpRewritePattern<MathOp> {
  using mlir::OpRewritePattern<MathOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(MathOp op,
                                PatternRewriter &rewriter) const override {
    if (!mlir::getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "not f64");
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    F64Formula f(b, op.getType());
    rewriter.replaceOp(op, (f.*formula)(op.getOperand()));
    return success();
  }
};

/// exp of f32: x = n ln2 + r, |r| <= ln2/2; Taylor series of e^r to r^7 (error
/// 5e-9); n added to the exponent. Results below the normal numbers are 0.
struct ExpF32Pattern final : mlir::OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!mlir::getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    auto number = [&](float value) { return splat(b, type, value); };
    auto fma = [&](Value y, Value z, Value w) -> Value {
      return math::FmaOp::create(b, y, z, w);
    };
    // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
    Value magic = number(0x1.8p23f);
    Value shifted = fma(x, number(0x1.715476p0f), magic);
    Value n = arith::SubFOp::create(b, shifted, magic);
    Value r = fma(n, number(-0x1.62e4p-1f), x);
    r = fma(n, number(-0x1.7f7d1cp-20f), r);
    Value series = number(1.0f / 5040);
    for (float coefficient :
         {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 1.0f / 2, 1.0f, 1.0f})
      series = fma(series, r, number(coefficient));
    Value result = addToExponent(b, series, shifted);
    // Out of range the above is garbage. inf + x is inf, or NaN for NaN.
    Value tooLow =
        arith::CmpFOp::create(b, Predicate::OLT, x, number(-0x1.5d589ep6f));
    Value tooHigh =
        arith::CmpFOp::create(b, Predicate::UGT, x, number(0x1.62e42ep6f));
    Value over = arith::AddFOp::create(
        b, x, number(std::numeric_limits<float>::infinity()));
    result = arith::SelectOp::create(b, tooLow, number(0.0f), result);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, tooHigh, over, result);
    return success();
  }

private:
  static Value splat(mlir::ImplicitLocOpBuilder &b, Type type, float value) {
    mlir::TypedAttr attr = b.getF32FloatAttr(value);
    if (auto vector = dyn_cast<mlir::VectorType>(type))
      attr = mlir::DenseElementsAttr::get(vector, static_cast<Attribute>(attr));
    return arith::ConstantOp::create(b, attr);
  }

  /// `value` times 2^n, where n stands in the low bits of `shifted`.
  static Value addToExponent(mlir::ImplicitLocOpBuilder &b, Value value,
                             Value shifted) {
    Type bits = b.getI32Type();
    mlir::TypedAttr mantissaBits = b.getI32IntegerAttr(23);
    if (auto vector = dyn_cast<mlir::VectorType>(value.getType())) {
      bits = vector.clone(bits);
      mantissaBits = mlir::DenseElementsAttr::get(
          cast<mlir::VectorType>(bits), static_cast<Attribute>(mantissaBits));
    }
    Value n =
        arith::ShLIOp::create(b, arith::BitcastOp::create(b, bits, shifted),
                              arith::ConstantOp::create(b, mantissaBits));
    Value sum =
        arith::AddIOp::create(b, arith::BitcastOp::create(b, bits, value), n);
    return arith::BitcastOp::create(b, value.getType(), sum);
  }
};

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
    Value result =
        F64Formula(b, wide).pow(widen(op.getLhs()), widen(op.getRhs()));
    if (narrow != wide)
      result = arith::TruncFOp::create(b, narrow, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void mpc::target::populateMathF64Patterns(RewritePatternSet &patterns) {
  patterns.add<UnaryF64Pattern<math::ExpOp, &F64Formula::exp>,
               UnaryF64Pattern<math::LogOp, &F64Formula::log>,
               UnaryF64Pattern<math::TanhOp, &F64Formula::tanh>,
               UnaryF64Pattern<math::ErfOp, &F64Formula::erf>, PowPattern>(
      patterns.getContext());
}

LogicalResult mpc::target::expandMath(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateMathF64Patterns(patterns);
  patterns.add<ExpF32Pattern>(patterns.getContext(), /*benefit=*/2);
  mlir::populateMathPolynomialApproximationPatterns(patterns);
  return mlir::applyPatternsGreedily(module, std::move(patterns));
}
