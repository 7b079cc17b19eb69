// sin and cos of f64 and, through f64, of f32, for angles of any size.
//
// x = n pi/2 + r with |r| <= pi/4. r is x less two or three parts of n pi/2, by
// fma, as if pi had 106 or 159 bits. Taylor series give sin r and cos r; the
// last two bits of n tell which of them is asked for, and its sign.
// Where an element is so large that n would lose its last bits, x 2/pi is taken
// modulo 4 from as many digits of 2/pi as that takes (Payne and Hanek).
#include "Lowering.h"
#include "MathFormula.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <cmath>
#include <iterator>

using namespace mpc;
using namespace mpc::target;
namespace arith = mlir::arith;
namespace math = mlir::math;
namespace scf = mlir::scf;
namespace vector = mlir::vector;

namespace {

/// 2/pi in digits of 26 bits: the first is of 2^-26. Enough for 2^1024.
constexpr uint32_t kTwoOverPi[] = {
    0x28be60d, 0x2e4e441, 0x14a7f09, 0x357d1f5, 0x0d37703, 0x1b62959, 0x24f10e4,
    0x041fe51, 0x18eaf7a, 0x3bc561b, 0x1c91b8e, 0x2424dd2, 0x3801924, 0x2eea09d,
    0x064873f, 0x21deb1c, 0x2c4a69c, 0x3ee8823, 0x17d4bae, 0x34484e9, 0x271c09a,
    0x345f7e4, 0x04e6475, 0x2398353, 0x0e7d272, 0x045f8bb, 0x37e4a0e, 0x31ff897,
    0x3ff7816, 0x180fef2, 0x3c462d6, 0x20a6d1f, 0x1b4d9fb, 0x0f27cb0, 0x26dd3d1,
    0x23f669e, 0x17fa8b5, 0x3527bac, 0x1faf97c, 0x17b3d07, 0x0e7de29, 0x1292ea6,
    0x2fed7ec, 0x11f8d5d};
constexpr int64_t kDigitBits = 26;
/// How many of them the largest f32 needs, and the largest f64.
constexpr int64_t kNarrowDigits = 8, kWideDigits = std::size(kTwoOverPi);
/// Keeps the last digits from underflow: x is divided by it.
constexpr int64_t kScaleBits = 512;
/// From here on the digits are needed.
constexpr double kLarge = 0x1p30;

constexpr double kHalfPi = 0x1.921fb54442d18p+0,
                 kHalfPiLower = 0x1.1a62633145c07p-54,
                 kHalfPiLowest = -0x1.f1976b7ed8fbcp-110;

/// In f64: good for it, or, which is faster, only to be rounded to f32.
class TrigFormula : public MathFormula {
public:
  TrigFormula(mlir::ImplicitLocOpBuilder &b, Type type, bool isWide)
      : MathFormula(b, type), isWide(isWide) {}

  /// sin(x + quarters * pi/2), x not negative if quarters is 0.
  Value evaluate(Value x, int64_t quarters);

private:
  /// x = (n + fraction) pi/2, n as a float that may have lost a multiple of 4.
  struct Angle {
    Value n, rest;
  };

  Angle reduce(Value x);
  Angle reduceLarge(Value x);
  Value isAny(Value flags);
  Value round(Value x) { return math::RoundEvenOp::create(b, x); }
  /// The coefficients of the series of sin or cos in x^2, after `first`!.
  SmallVector<double> getSeries(int first, int last);

  bool isWide;
};

Value TrigFormula::isAny(Value flags) {
  if (!isa<mlir::VectorType>(flags.getType()))
    return flags;
  return vector::ReductionOp::create(b, vector::CombiningKind::OR, flags);
}

/// Each product of a digit and a part of x is exact; what it has of multiples
/// of 4 is dropped, and the rest added to the fraction, a sum of two numbers.
TrigFormula::Angle TrigFormula::reduceLarge(Value x) {
  Value scaled = mul(x, number(std::ldexp(1.0, -kScaleBits)));
  SmallVector<Value> parts{scaled};
  if (isWide) { // 53 bits times 26 would be too many.
    Value upper = asNumber(
        arith::AndIOp::create(b, asBits(scaled), bits(~((1ll << 27) - 1))));
    parts = {upper, sub(scaled, upper)};
  }
  int64_t count = isWide ? kWideDigits : kNarrowDigits;
  SmallVector<double> digits;
  for (int64_t k = 0; k < count; ++k)
    digits.push_back(
        std::ldexp(kTwoOverPi[k], kScaleBits - kDigitBits * (k + 1)));
  Value table = arith::ConstantOp::create(b, b.getF64VectorAttr(digits));
  Value zero = number(0.0);
  auto loop = scf::ForOp::create(
      b, arith::ConstantIndexOp::create(b, 0),
      arith::ConstantIndexOp::create(b, count),
      arith::ConstantIndexOp::create(b, 1), ValueRange{zero, zero, zero},
      [&](OpBuilder &body, Location loc, Value k, ValueRange state) {
        mlir::ImplicitLocOpBuilder inner(loc, body);
        TrigFormula f(inner, type, isWide);
        Value digit = vector::ExtractOp::create(inner, table, k);
        if (isa<mlir::VectorType>(type))
          digit = vector::BroadcastOp::create(inner, type, digit);
        Value n = state[0], high = state[1], low = state[2];
        for (Value part : parts) {
          Value term = f.mul(part, digit);
          Value fours = f.round(f.mul(term, f.number(0.25)));
          term = f.fma(fours, f.number(-4.0), term);
          Value sum = f.add(high, term), left = f.sub(sum, high);
          low = f.add(low,
                      f.add(f.sub(high, f.sub(sum, left)), f.sub(term, left)));
          Value whole = f.round(sum);
          high = f.sub(sum, whole);
          n = f.add(n, whole);
        }
        scf::YieldOp::create(inner, ValueRange{n, high, low});
      });
  Value fraction = add(loop.getResult(1), loop.getResult(2));
  return {loop.getResult(0), mul(fraction, number(kHalfPi))};
}

TrigFormula::Angle TrigFormula::reduce(Value x) {
  Value n = round(mul(x, number(0x1.45f306dc9c883p-1)));
  Value rest = fma(n, number(-kHalfPi), x);
  rest = fma(n, number(-kHalfPiLower), rest);
  if (isWide)
    rest = fma(n, number(-kHalfPiLowest), rest);
  Value isLarge = is(Predicate::OGE, abs(x), number(kLarge));
  auto branch = scf::IfOp::create(
      b, isAny(isLarge),
      [&](OpBuilder &body, Location loc) {
        mlir::ImplicitLocOpBuilder inner(loc, body);
        TrigFormula f(inner, type, isWide);
        Angle large = f.reduceLarge(x);
        scf::YieldOp::create(inner,
                             ValueRange{f.select(isLarge, large.n, n),
                                        f.select(isLarge, large.rest, rest)});
      },
      [&](OpBuilder &body, Location loc) {
        scf::YieldOp::create(body, loc, ValueRange{n, rest});
      });
  return {branch.getResult(0), branch.getResult(1)};
}

SmallVector<double> TrigFormula::getSeries(int first, int last) {
  SmallVector<double> coefficients;
  for (int k = first; k <= last; k += 2)
    coefficients.push_back((k / 2 % 2 ? -1 : 1) / std::tgamma(k + 1.0));
  return coefficients;
}

Value TrigFormula::evaluate(Value x, int64_t quarters) {
  auto [n, r] = reduce(x);
  Value square = mul(r, r);
  Value sine = fma(mul(r, square),
                   polynomial(square, getSeries(3, isWide ? 17 : 11)), r);
  Value cosine = polynomial(square, getSeries(0, isWide ? 18 : 10));
  // Adding 1.5 * 2^52 leaves the integer in the low bits.
  Value word = arith::AddIOp::create(b, asBits(add(n, number(0x1.8p52))),
                                     bits(quarters));
  Value isOdd =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                            arith::AndIOp::create(b, word, bits(1)), bits(0));
  Value result = select(isOdd, cosine, sine);
  Value sign = arith::ShLIOp::create(b, arith::AndIOp::create(b, word, bits(2)),
                                     bits(62));
  return asNumber(arith::XOrIOp::create(b, asBits(result), sign));
}

/// sin of the magnitude gets the sign of x, so that of -0 is -0.
template <typename MathOp, int64_t quarters>
struct TrigPattern final : mlir::OpRewritePattern<MathOp> {
  using mlir::OpRewritePattern<MathOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(MathOp op,
                                PatternRewriter &rewriter) const override {
    mlir::ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type narrow = op.getType(), wide = b.getF64Type();
    if (auto vector = dyn_cast<mlir::VectorType>(narrow))
      wide = vector.clone(wide);
    bool isWide = narrow == wide;
    Value x = op.getOperand();
    if (!isWide)
      x = arith::ExtFOp::create(b, wide, x);
    Value magnitude = math::AbsFOp::create(b, x);
    Value result = TrigFormula(b, wide, isWide).evaluate(magnitude, quarters);
    if (quarters == 0)
      result = arith::MulFOp::create(
          b, result, math::CopySignOp::create(b, constantOne(b, wide), x));
    if (!isWide)
      result = arith::TruncFOp::create(b, narrow, result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value constantOne(mlir::ImplicitLocOpBuilder &b, Type type) {
    return arith::ConstantOp::create(b, b.getOneAttr(type));
  }
};

} // namespace

void mpc::target::populateMathTrigPatterns(RewritePatternSet &patterns) {
  // Before MLIR's approximations of the same ops.
  constexpr unsigned kBenefit = 2;
  patterns.add<TrigPattern<math::SinOp, 0>, TrigPattern<math::CosOp, 1>>(
      patterns.getContext(), kBenefit);
}
