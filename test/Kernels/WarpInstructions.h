// The instructions of kernels/Attention/Instructions.h, emulated: lanes of a
// warp exchange their operands. What copies begin is there when they are waited
// for, and NaN until then.
#ifndef MPC_TEST_KERNELS_WARPINSTRUCTIONS_H
#define MPC_TEST_KERNELS_WARPINSTRUCTIONS_H

#include "Emulation/CudaLanguage.h"
#include "kernels/Formats.h"
#include <cmath>

namespace mpc::kernels {

inline uint8_t *getSharedMemory() {
  return static_cast<uint8_t *>(emulation::getSharedMemory());
}
inline uint32_t toBits(float value) { return std::bit_cast<uint32_t>(value); }
inline float fromBits(uint32_t bits) { return std::bit_cast<float>(bits); }

/// What each lane of a warp brings, for all of them to read. A place is used
/// again only after the next time that the warp has met.
template <typename T> const T *exchange(const T &own) {
  static T places[32][2][32];
  uint32_t thread = emulation::getThreadNumber();
  T *all = places[thread / 32][emulation::getWarpEpoch() % 2];
  all[thread % 32] = own;
  emulation::synchronizeWarp();
  return all;
}

inline void loadMatrices(uint32_t (&to)[4], const void *row) {
  const void *const *rows = exchange(row);
  uint32_t lane = threadIdx.x % 32;
  for (uint32_t i = 0; i < 4; ++i)
    std::memcpy(
        &to[i],
        static_cast<const uint32_t *>(rows[8 * i + lane / 4]) + lane % 4, 4);
}

inline void loadTransposed(uint32_t (&to)[4], const void *row) {
  const void *const *rows = exchange(row);
  uint32_t lane = threadIdx.x % 32;
  auto read = [&](uint32_t number) -> uint32_t {
    return static_cast<const uint16_t *>(rows[number])[lane / 4];
  };
  for (uint32_t i = 0; i < 4; ++i)
    to[i] = read(8 * i + lane % 4 * 2) | read(8 * i + lane % 4 * 2 + 1) << 16;
}

/// A sum as tensor cores store it: what does not fit in f32 is cut off (Fasi et
/// al., Numerical behavior of NVIDIA tensor cores, 2021).
inline float cutOff(double sum) {
  float rounded = static_cast<float>(sum);
  return std::abs(rounded) > std::abs(sum) ? std::nextafterf(rounded, 0)
                                           : rounded;
}

/// c += a b, where a word holds `Count` numbers: number k is get(word, k).
template <int Count, typename Get>
void multiplyWords(float (&c)[4], const uint32_t (&a)[4],
                   const uint32_t (&b)[2], Get get) {
  struct Words {
    uint32_t a[4], b[2];
  };
  const Words *all = exchange(Words{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}});
  uint32_t lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  for (int e = 0; e < 4; ++e) {
    double sum = c[e];
    for (int half = 0; half < 2; ++half)
      for (uint32_t s = 0; s < 4; ++s) {
        uint32_t left = all[4 * g + s].a[2 * half + e / 2];
        uint32_t right = all[4 * (2 * t + e % 2) + s].b[half];
        for (int k = 0; k < Count; ++k)
          sum += double(get(left, k)) * get(right, k);
      }
    c[e] = cutOff(sum);
  }
}

inline void multiplyHalf(float (&c)[4], const uint32_t (&a)[4],
                         const uint32_t (&b)[2]) {
  multiplyWords<2>(c, a, b, [](uint32_t word, int k) {
    return widen(Half{uint16_t(word >> 16 * k)});
  });
}
inline void multiplyBFloat(float (&c)[4], const uint32_t (&a)[4],
                           const uint32_t (&b)[2]) {
  multiplyWords<2>(c, a, b, [](uint32_t word, int k) {
    return widen(BFloat{uint16_t(word >> 16 * k)});
  });
}
/// What is not of TF32 is cut off, as the hardware does.
inline void multiplyTf32(float (&c)[4], const uint32_t (&a)[4],
                         const uint32_t (&b)[2]) {
  multiplyWords<1>(
      c, a, b, [](uint32_t word, int) { return fromBits(word & ~0x1fffu); });
}

/// Ties away from zero; infinities and NaN stay.
inline float roundToTf32(float value) {
  uint32_t bits = toBits(value);
  bool isFinite = (bits & 0x7f800000u) != 0x7f800000u;
  return isFinite ? fromBits((bits + 0x1000u) & ~0x1fffu) : value;
}

/// Of an earlier launch, which may have ended in their midst.
void forgetCopies();
void copyAsync(void *shared, const void *global, int bytes);
void commitCopies();
/// Has all groups of the thread land but the last `pending`.
void landCopies(int pending);
template <int Pending> void waitForCopies() { landCopies(Pending); }

} // namespace mpc::kernels

#endif // MPC_TEST_KERNELS_WARPINSTRUCTIONS_H
