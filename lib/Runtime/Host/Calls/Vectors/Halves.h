// Numbers of 16 bits as floats and back; f16 is in Avx2.h, Avx512.h.
// Internal to the source of an instruction set: see Vectors.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_HALVES_H
#define MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_HALVES_H

#include "Vectors.h"

namespace {
typedef uint16_t Shorts __attribute__((vector_size(2 * kLanes)));

inline float widenBFloat(uint16_t half) {
  uint32_t bits = uint32_t(half) << 16;
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}
inline Floats widenBFloats(const uint16_t *from) {
  Shorts halves;
  std::memcpy(&halves, from, sizeof halves);
  return fromBits(__builtin_convertvector(halves, Ints) << 16);
}
/// Rounded to even; NaN stays one.
inline void narrowToBFloats(Floats x, uint16_t *to) {
  Ints bits = toBits(x), rounded = bits + 0x7fff + (bits >> 16 & 1);
  bits = toBits(choose(x == x, fromBits(rounded), fromBits(bits | 0x400000)));
  Shorts halves = __builtin_convertvector(bits >> 16, Shorts);
  std::memcpy(to, &halves, sizeof halves);
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_HALVES_H
