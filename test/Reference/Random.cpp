// Family Random of the reference interpreter.
#include "mpc/Dialect/Graph/IR/Ops/Random.h"
#include "Reference/Families.h"
#include "Reference/Philox.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <array>
#include <cmath>

using namespace mpc;
using namespace mpc::reference;

static Answer evaluatePhilox(Operands in, Results out) {
  std::vector<size_t> maps[6];
  for (int k = 0; k < 6; ++k)
    maps[k] = broadcastMap(in[k]->shape, out[0].shape);
  for (size_t i = 0; i < out[0].size(); ++i) {
    auto at = [&](int k) {
      return static_cast<uint32_t>(in[k]->ints[maps[k][i]]);
    };
    auto words = philox4x32({at(0), at(1), at(2), at(3)}, {at(4), at(5)});
    for (int word = 0; word < 4; ++word)
      out[word].ints[i] = static_cast<int32_t>(words[word]);
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

/// The words of element `i` of an op with a key, whose operands end with it.
template <typename Op>
static std::array<uint32_t, 4> drawWords(Op op, Operands in, size_t i) {
  auto step = static_cast<uint32_t>(in[in.size() - 2]->ints[0]);
  auto seed = static_cast<uint32_t>(in[in.size() - 1]->ints[0]);
  return philox4x32({static_cast<uint32_t>(i), step, 0, 1},
                    {seed, *op.getStream()});
}

/// In [0, 1): the highest bit counts from the other end.
static double toUnit(uint32_t word) { return (word ^ 0x80000000) * 0x1p-32; }

/// The same of as many bits as `type` is computed with, the largest below 1.
static double toUnit(uint32_t word, DType type) {
  if (type == DType::F64)
    return toUnit(word);
  float unit = static_cast<float>(static_cast<int32_t>(word)) * 0x1p-32f + 0.5f;
  return std::min(unit, 1 - 0x1p-24f);
}

template <typename Op, typename Draw>
static Answer fill(Op op, Operands in, Results out, Draw draw) {
  if (op.getRandomKey().empty())
    return op.emitError("expected a key to draw from; run mpc-seed-random");
  for (size_t i = 0; i < out[0].size(); ++i) {
    double value = draw(drawWords(op, in, i), i);
    if (out[0].isFloat())
      out[0].reals[i] = value;
    else
      out[0].ints[i] = static_cast<int64_t>(value);
  }
  return success();
}

using Words = const std::array<uint32_t, 4> &;

static Answer drop(graph::DropoutOp op, Operands in, Results out) {
  double ratio = op.getRatio().convertToDouble();
  return fill(op, in, out, [&](Words words, size_t i) {
    return toUnit(words[0]) < ratio ? 0 : in[0]->reals[i] / (1 - ratio);
  });
}

static Answer drawUniform(graph::UniformOp op, Operands in, Results out) {
  double low = op.getLow().convertToDouble(),
         high = op.getHigh().convertToDouble();
  return fill(op, in, out, [&](Words words, size_t) {
    return low + (high - low) * toUnit(words[0], out[0].type);
  });
}

static Answer drawNormal(graph::NormalOp op, Operands in, Results out) {
  double mean = op.getMean().convertToDouble(),
         stddev = op.getStddev().convertToDouble();
  return fill(op, in, out, [&](Words words, size_t) {
    double u = toUnit(words[0], out[0].type), v = toUnit(words[1], out[0].type);
    return mean + stddev * std::sqrt(-2 * std::log1p(-u)) *
                      std::cos(2 * std::acos(-1.0) * v);
  });
}

static Answer drawFlags(graph::BernoulliOp op, Operands in, Results out) {
  double p = op.getP().convertToDouble();
  return fill(op, in, out,
              [&](Words words, size_t) { return toUnit(words[0]) < p; });
}

Answer reference::evaluateRandom(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::PhiloxOp>([&](auto) { return evaluatePhilox(in, out); })
      .Case<graph::DropoutOp>([&](auto op) { return drop(op, in, out); })
      .Case<graph::UniformOp>([&](auto op) { return drawUniform(op, in, out); })
      .Case<graph::NormalOp>([&](auto op) { return drawNormal(op, in, out); })
      .Case<graph::BernoulliOp>([&](auto op) { return drawFlags(op, in, out); })
      .Case<graph::RandomRoundOp>(
          [&](auto) { return evaluateRandomRound(in, out); })
      .Case<graph::StochasticRoundOp>(
          [&](auto op) { return stochasticRound(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
