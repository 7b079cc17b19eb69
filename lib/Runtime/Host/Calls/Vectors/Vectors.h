// Vectors of kLanes floats, and the functions of them that calls of ours need.
//
// Included by one source per instruction set, which turns it on and defines
// kLanes and kTileRows (BeginAvx2.h, BeginAvx512.h), and includes what it has
// instructions for (Avx2.h, Avx512.h). Everything in this folder is internal to
// that source; what that includes itself stands in front of the instruction
// set, so that nothing that others might share is compiled for it.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_VECTORS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_VECTORS_H

#include <cstdint>
#include <cstring>
#include <utility>

namespace {
typedef float Floats __attribute__((vector_size(4 * kLanes)));
typedef int32_t Ints __attribute__((vector_size(4 * kLanes)));

constexpr float kLog2E = 1.4426950408889634f;

inline Floats load(const float *from) {
  Floats x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
inline void store(float *to, Floats x) { std::memcpy(to, &x, sizeof x); }
inline Floats spread(float x) { return x - Floats{}; }
inline Ints toBits(Floats x) { return (Ints)x; }
inline Floats fromBits(Ints x) { return (Floats)x; }
/// Lanes of `x` where `condition` is -1, of `y` where it is 0.
inline Floats choose(Ints condition, Floats x, Floats y) {
  return condition ? x : y;
}
/// What compilers do not fuse with what comes next. Scores may be so large that
/// what is rounded off them is not small: the largest less itself must be 0.
inline Floats rounded(Floats x) {
  __asm__("" : "+v"(x));
  return x;
}
inline Ints number() {
  Ints lane;
  for (int i = 0; i < kLanes; ++i)
    lane[i] = i;
  return lane;
}

// What an instruction set has instructions for: see Avx2.h, Avx512.h.
/// The nearest whole numbers, to even.
Floats roundToWhole(Floats x);
/// x 2^n, for whole n.
Floats scaleByPower(Floats x, Floats n);
/// The halves of 64-bit products of unsigned words.
struct Wide {
  Ints low, high;
};
Wide multiplyWide(Ints x, uint32_t factor);
/// kLanes numbers of f16, as floats and back.
Floats widenHalfs(const uint16_t *from);
void narrowToHalfs(Floats x, uint16_t *to);

/// 2^f for f on [-1/2, 1/2] by minimax polynomials, of 0 exactly 1: of degree 6
/// within an ulp, of degree 4 within 2^-18, a thousandth of what bf16 is
/// rounded by.
template <int degree> Floats exp2OfPart(Floats f) {
  static_assert(degree == 4 || degree == 6);
  if (degree == 4) {
    Floats p = f * 0.00958285294f + 0.0559064262f;
    p = p * f + 0.240240991f;
    p = p * f + 0.693124175f;
    return p * f + 1.0f;
  }
  Floats p = f * 0.000153533614f + 0.00133988746f;
  p = p * f + 0.00961843736f;
  p = p * f + 0.0555033247f;
  p = p * f + 0.240226479f;
  p = p * f + 0.693147203f;
  return p * f + 1.0f;
}

/// 2^t for t up to 126; what is below 2^-126 is 0 or near.
template <int degree> Floats exp2(Floats t) {
  // No lower: infinities have no distance from the nearest whole number.
  t = choose(t < -1000.0f, spread(-1000), t);
  Floats whole = roundToWhole(t);
  return scaleByPower(exp2OfPart<degree>(t - whole), whole);
}

/// 1 - 2 / (e^2|x| + 1), with the sign of x. Near 0 that would cancel: there
/// Lambert's continued fraction, x / (1 + x^2 / (3 + x^2 / (5 + ...))), down to
/// 11, is 3e-12 off at most.
inline Floats tanh(Floats x) {
  Ints sign = toBits(x) & toBits(spread(-0.0f));
  Floats magnitude = fromBits(toBits(x) ^ sign);
  Floats t = magnitude * (2 * kLog2E);
  Floats power = exp2<6>(choose(t > 60.0f, spread(60), t));
  Floats far = fromBits(toBits(1.0f - 2.0f / (power + 1.0f)) | sign);
  Floats s = x * x;
  Floats near = x * ((21.0f * s + 1260.0f) * s + 10395.0f) /
                (((s + 210.0f) * s + 4725.0f) * s + 10395.0f);
  return choose(magnitude < 0.625f, near, far);
}

/// a0 b0 a1 b1 ...: of the first halves of `a` and `b`, or of the second.
template <bool second, size_t... i>
Ints interleave(Ints a, Ints b, std::index_sequence<i...>) {
  constexpr int begin = second ? kLanes / 2 : 0;
  return __builtin_shufflevector(
      a, b, (begin + int(i) / 2 + (i % 2 ? kLanes : 0))...);
}

/// Rows become columns: interleaving the first half of the rows with the second
/// moves the highest bit of a row's number to the lowest of its column's; after
/// as many rounds as there are bits all have moved.
inline void transpose(Ints (&rows)[kLanes]) {
  auto lanes = std::make_index_sequence<kLanes>();
  for (int round = kLanes; round > 1; round /= 2) {
    Ints mixed[kLanes];
    for (int64_t i = 0; i < kLanes / 2; ++i) {
      Ints a = rows[i], b = rows[i + kLanes / 2];
      mixed[2 * i] = interleave<false>(a, b, lanes);
      mixed[2 * i + 1] = interleave<true>(a, b, lanes);
    }
    for (int i = 0; i < kLanes; ++i)
      rows[i] = mixed[i];
  }
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_VECTORS_H
