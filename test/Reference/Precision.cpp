// Families Cast and Rounding of the reference interpreter.
#include "Reference/Families.h"
#include "Reference/Philox.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Rounding.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::reference;

/// Towards zero; NaN is 0 and what does not fit becomes the nearest integer
/// that does.
static int64_t toInteger(DType type, double value) {
  if (type == DType::I1)
    return value != 0;
  double low = type == DType::I32 ? -0x1p31 : -0x1p63;
  if (std::isnan(value))
    return 0;
  if (value <= low)
    return static_cast<int64_t>(low);
  if (value >= -low)
    return type == DType::I32 ? std::numeric_limits<int32_t>::max()
                              : std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(value);
}

static Answer castElements(Operands in, Results out) {
  for (size_t i = 0; i < out[0].size(); ++i)
    if (out[0].isFloat())
      out[0].reals[i] = in[0]->value(i);
    else if (in[0]->isFloat())
      out[0].ints[i] = toInteger(out[0].type, in[0]->reals[i]);
    else if (out[0].type == DType::I1)
      out[0].ints[i] = in[0]->ints[i] != 0;
    else
      out[0].ints[i] = wrapTo(out[0].type, in[0]->ints[i]);
  return success();
}

/// The rounding is what the op is for, so it rounds in exact mode, too.
static Answer kahanRound(Operands in, Results out) {
  DType type = out[0].type;
  for (size_t i = 0; i < out[0].size(); ++i) {
    double parameter = in[0]->reals[i];
    double update = in[2]->reals[i] + (in[1]->reals[i] - parameter);
    double rounded = roundTo(type, parameter + update);
    out[0].reals[i] = rounded;
    out[1].reals[i] = roundTo(type, update - (rounded - parameter));
  }
  return success();
}

/// Between the neighbours of bf16 below and above in magnitude, 2^16 steps of
/// f32: the number rounds away from zero if its steps and the bits' reach 2^16.
static double randomRound(double input, uint32_t bits) {
  if (!std::isfinite(input))
    return input;
  int exponent;
  std::frexp(input, &exponent); // |input| is in [2^(exponent - 1), 2^exponent)
  double unit = std::ldexp(1.0, std::max(exponent, -125) - 8);
  double magnitude = std::fabs(roundTo(DType::F32, input));
  double down = std::floor(magnitude / unit) * unit;
  double steps = (magnitude - down) / unit * 0x1p16;
  double up = down + unit;
  bool carries = steps + (bits & 0xFFFF) >= 0x1p16 && up < 0x1p128;
  return std::copysign(carries ? up : down, input);
}

static Answer evaluateRandomRound(Operands in, Results out) {
  for (size_t i = 0; i < out[0].size(); ++i)
    out[0].reals[i] =
        randomRound(in[0]->reals[i], static_cast<uint32_t>(in[1]->ints[i]));
  return success();
}

static Answer stochasticRound(graph::StochasticRoundOp op, Operands in,
                              Results out) {
  for (size_t i = 0; i < out[0].size(); ++i) {
    std::array<uint32_t, 4> counter{
        static_cast<uint32_t>(i), static_cast<uint32_t>(in[1]->ints[0]), 0, 0};
    std::array<uint32_t, 2> key{static_cast<uint32_t>(in[2]->ints[0]),
                                op.getStream()};
    out[0].reals[i] = randomRound(in[0]->reals[i], philox4x32(counter, key)[0]);
  }
  return success();
}

Answer reference::evaluatePrecision(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::CastOp>([&](auto) { return castElements(in, out); })
      .Case<graph::KahanRoundOp>([&](auto) { return kahanRound(in, out); })
      .Case<graph::RandomRoundOp>(
          [&](auto) { return evaluateRandomRound(in, out); })
      .Case<graph::StochasticRoundOp>(
          [&](auto op) { return stochasticRound(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
