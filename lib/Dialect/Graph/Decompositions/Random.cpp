// Family Random: what is made of bits.
#include "Draw.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

PhiloxOp graph::drawBits(Decomposition &d, mlir::ImplicitLocOpBuilder &builder,
                         ArrayRef<int64_t> shape, Value step, Value seed,
                         uint32_t stream, Use use) {
  Type i32 = builder.getI32Type();
  auto type = RankedTensorType::get(shape, i32);
  Expr zero = d.constant(i32, 0), index = zero;
  int64_t stride = 1;
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    Expr position = d(IotaOp::create(builder, type, dim));
    // Modulo 2^32, as the stride of a tensor of more elements would be.
    index = position * static_cast<int32_t>(stride) + index;
    stride *= type.getDimSize(dim);
  }
  Expr key = d.constant(i32, static_cast<int32_t>(stream));
  Expr purpose = d.constant(i32, static_cast<int32_t>(use));
  return PhiloxOp::create(builder, index, step, zero, purpose, seed, key);
}

/// random_round(x, word 0)
SmallVector<Value>
StochasticRoundOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  auto bits = drawBits(d, builder, getInput().getType().getShape(), getStep(),
                       getSeed(), getStream(), Use::Rounding);
  return {
      RandomRoundOp::create(builder, getType(), getInput(), bits.getWord0())};
}

//===-- Distributions -----------------------------------------------------===//

bool DropoutOp::isComposite() { return !getRandomKey().empty(); }
bool UniformOp::isComposite() { return !getRandomKey().empty(); }
bool NormalOp::isComposite() { return !getRandomKey().empty(); }
bool BernoulliOp::isComposite() { return !getRandomKey().empty(); }

template <typename Op>
static PhiloxOp drawBitsOf(Decomposition &d, Op op,
                           mlir::ImplicitLocOpBuilder &builder) {
  return drawBits(d, builder, op.getType().getShape(), op.getRandomKey()[0],
                  op.getRandomKey()[1], *op.getStream(), Use::Distribution);
}

/// Whether u < p, of the u in [0, 1) whose 32 bits are those of `word`, or
/// their complement in the highest.
static Expr isBelow(Expr word, double p) {
  double bound = std::round(p * 0x1p32) - 0x1p31;
  if (bound >= 0x1p31)
    return lessEqual(word, word.integer(0x7FFFFFFF));
  return less(word, word.integer(static_cast<int64_t>(bound)));
}

/// u in [0, 1), of as many bits of `word` as `element` has.
static Expr toUnit(Decomposition &d, Value word, Type element) {
  Expr u = d.castTo(word, element) * 0x1p-32 + 0.5;
  double largest = element.isF64() ? 1 - 0x1p-32 : 1 - 0x1p-24;
  return minimum(u, largest); // f32 rounds the last to 1.
}

/// 0 where u < ratio, else x / (1 - ratio)
SmallVector<Value> DropoutOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d.wide(getInput());
  Expr word = d(drawBitsOf(d, *this, builder).getWord0());
  double ratio = getRatio().convertToDouble();
  Expr kept = x * (1 / (1 - ratio));
  return {d.castTo(select(isBelow(word, ratio), x.constant(0), kept),
                   elementOf(getResult()))};
}

/// low + (high - low) u
SmallVector<Value> UniformOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type element = elementOf(getResult());
  Expr u = toUnit(d, drawBitsOf(d, *this, builder).getWord0(),
                  getComputeType(element));
  double low = getLow().convertToDouble(), high = getHigh().convertToDouble();
  return {d.castTo(u * (high - low) + low, element)};
}

/// mean + stddev sqrt(-2 ln(1 - u)) cos(2 pi v)
SmallVector<Value> NormalOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type element = elementOf(getResult()), wide = getComputeType(element);
  PhiloxOp bits = drawBitsOf(d, *this, builder);
  Expr u = toUnit(d, bits.getWord0(), wide),
       v = toUnit(d, bits.getWord1(), wide);
  // 1 - u would lose the last bits of a small u.
  Expr logarithm = d(Log1pOp::create(builder, -u));
  Expr radius = sqrt(logarithm * -2.0);
  Expr z = radius * cos(v * (2 * llvm::numbers::pi));
  double mean = getMean().convertToDouble(),
         stddev = getStddev().convertToDouble();
  return {d.castTo(z * stddev + mean, element)};
}

/// u < p
SmallVector<Value> BernoulliOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr word = d(drawBitsOf(d, *this, builder).getWord0());
  return {isBelow(word, getP().convertToDouble())};
}
