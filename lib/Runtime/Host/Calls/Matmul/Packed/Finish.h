// What is done with sums: the bias, a function, one rounding.
// Internal to the source of an instruction set: see BlockKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_FINISH_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_FINISH_H

#include "Panels.h"

namespace {
inline Floats exp(Floats x) {
  Floats t = x * kLog2E;
  return exp2<6>(choose(t > 126.0f, spread(126), t));
}

/// x times the share of a normal distribution that is below x. What is above
/// |x| is within 1e-7 (Abramowitz and Stegun, 7.1.26).
inline Floats geluErf(Floats x) {
  Floats z = fromBits(toBits(x) & 0x7fffffff) * 0.70710678f;
  Floats t = 1.0f / (z * 0.3275911f + 1.0f);
  Floats p = t * 1.061405429f - 1.453152027f;
  p = p * t + 1.421413741f;
  p = p * t - 0.284496736f;
  p = p * t + 0.254829592f;
  Floats above = p * t * exp(-z * z) * 0.5f;
  return x * choose(x < 0.0f, above, 1.0f - above);
}

inline Floats geluTanh(Floats x) {
  Floats u = (x * x * x * 0.044715f + x) * 0.79788456f;
  return x * 0.5f * (1.0f + tanh(u));
}

inline Floats apply(Function function, Floats x) {
  switch (function) {
  case Function::None:
    break;
  case Function::Relu:
    return choose(x <= 0.0f, Floats{}, x); // NaN stays
  case Function::GeluErf:
    return geluErf(x);
  case Function::GeluTanh:
    return geluTanh(x);
  case Function::Tanh:
    return tanh(x);
  case Function::Sigmoid:
    return 1.0f / (1.0f + exp(-x));
  }
  return x;
}

inline void round(Number type, Floats x, void *to) {
  if (type == Number::F32)
    store(static_cast<float *>(to), x);
  else if (type == Number::F16)
    narrowToHalfs(x, static_cast<uint16_t *>(to));
  else
    narrowToBFloats(x, static_cast<uint16_t *>(to));
}

/// A row, to `result`. Nothing beyond `columns` is anybody's.
[[gnu::noinline]] void finishRow(const Block &block, int64_t columns,
                                 const float *sums, const float *bias,
                                 char *result) {
  int64_t j = 0, bytes = countBytes(block.resultType);
  if (!block.bias && block.function == Function::None)
    withType(block.resultType, [&](auto type) {
#if defined(__clang__)
#pragma clang loop unroll(disable)
#endif
      for (; j + kLanes <= columns; j += kLanes)
        round(type, load(sums + j), result + j * bytes);
    });
  for (; j < columns; j += kLanes) {
    int64_t count = smaller(kLanes, columns - j);
    float last[kLanes] = {};
    std::memcpy(last, sums + j, 4 * count);
    Floats x = load(last);
    if (block.bias)
      x += load(bias + j);
    round(block.resultType, apply(block.function, x), last);
    std::memcpy(result + j * bytes, last, count * bytes);
  }
}

/// Columns [column, column + columns), whose sums are at `sums`. `bias` has
/// room for whole vectors of them.
inline void finish(const Block &block, int64_t column, int64_t columns,
                   const float *sums, int64_t sumsRow, float *bias) {
  int64_t bytes = countBytes(block.resultType);
  if (block.bias)
    widenRow(block.resultType,
             static_cast<const char *>(block.bias) + column * bytes, 1, columns,
             bias);
  char *result = static_cast<char *>(block.result) + column * bytes;
  for (int64_t i = 0; i < block.rows; ++i)
    finishRow(block, columns, sums + i * sumsRow, bias,
              result + i * block.resultRow * bytes);
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_FINISH_H
