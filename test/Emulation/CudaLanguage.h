// CUDA C++ as plain C++: include this instead of cuda_runtime.h, compile a
// kernel with the host's compiler, and call it thread by thread:
//
//   __global__ void sum(const float *x, float *y) {
//     __shared__ float part[32];
//     ...
//   }
//   std::string failure = emulation::launchKernel(
//       {.grid = {4}, .block = {256}}, [&] { sum(x, y); });
//
// Shared variables are statics in a section of their own, which is filled with
// NaN when a block begins; so one block runs at a time. Dynamic shared memory
// is emulation::getSharedMemory(), of Launch::sharedBytes.
#ifndef MPC_TEST_EMULATION_CUDALANGUAGE_H
#define MPC_TEST_EMULATION_CUDALANGUAGE_H

#include "GpuThreads.h"
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __shared__ static __attribute__((section("mpc_shared")))
#define threadIdx (::mpc::emulation::getThreadIdx())
#define blockIdx (::mpc::emulation::getBlockIdx())
#define blockDim (::mpc::emulation::getBlockDim())
#define gridDim (::mpc::emulation::getGridDim())

// Set by the linker: the shared variables of this binary.
extern "C"
    __attribute__((weak, visibility("hidden"))) char __start_mpc_shared[];
extern "C" __attribute__((weak, visibility("hidden"))) char __stop_mpc_shared[];

namespace mpc::emulation {

template <typename Kernel>
[[nodiscard]] std::string launchKernel(const Launch &options, Kernel kernel) {
  struct Call {
    Kernel &kernel;
    uint64_t block = ~uint64_t(0);
  } call{kernel};
  if (options.hostThreads != 1)
    return "kernels with shared variables run on one host thread";
  return launch(
      options,
      [](void *argument) {
        auto *own = static_cast<Call *>(argument);
        Dim3 index = getBlockIdx(), size = getGridDim();
        uint64_t block =
            (uint64_t(index.z) * size.y + index.y) * size.x + index.x;
        // The first thread of a block to run.
        if (std::exchange(own->block, block) != block && __start_mpc_shared)
          std::memset(__start_mpc_shared, 0xff,
                      size_t(__stop_mpc_shared - __start_mpc_shared));
        own->kernel();
      },
      &call);
}

template <typename T>
T shuffleValue(ShuffleMode mode, T value, uint32_t offset, uint32_t width,
               uint32_t mask) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = shuffle(mode, bits, offset, width, mask).value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

} // namespace mpc::emulation

inline void __syncthreads() { mpc::emulation::barrier(); }
inline void __syncwarp(unsigned mask = 0xffffffff) {
  mpc::emulation::synchronizeWarp(mask);
}
inline void __threadfence() {}
inline void __threadfence_block() {}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int offset, int width = 32) {
  return mpc::emulation::shuffleValue(mpc::emulation::ShuffleMode::Xor, value,
                                      uint32_t(offset), uint32_t(width), mask);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned offset, int width = 32) {
  return mpc::emulation::shuffleValue(mpc::emulation::ShuffleMode::Up, value,
                                      offset, uint32_t(width), mask);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned offset, int width = 32) {
  return mpc::emulation::shuffleValue(mpc::emulation::ShuffleMode::Down, value,
                                      offset, uint32_t(width), mask);
}
template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  return mpc::emulation::shuffleValue(mpc::emulation::ShuffleMode::Index, value,
                                      uint32_t(lane), uint32_t(width), mask);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return mpc::emulation::ballot(predicate != 0, mask);
}
inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) == mask;
}

// One thread runs at a time: plain operations are atomic.
template <typename T> T atomicAdd(T *address, std::type_identity_t<T> value) {
  T old = *address;
  *address = old + value;
  return old;
}
template <typename T> T atomicMax(T *address, std::type_identity_t<T> value) {
  T old = *address;
  *address = old < value ? value : old;
  return old;
}
template <typename T> T atomicOr(T *address, std::type_identity_t<T> value) {
  T old = *address;
  *address = old | value;
  return old;
}
/// Counts from 0 to `last` and begins again.
inline unsigned atomicInc(unsigned *address, unsigned last) {
  unsigned old = *address;
  *address = old >= last ? 0 : old + 1;
  return old;
}
template <typename T> T atomicExch(T *address, std::type_identity_t<T> value) {
  T old = *address;
  *address = value;
  return old;
}

template <typename T> T __ldcg(const T *address) { return *address; }

#endif // MPC_TEST_EMULATION_CUDALANGUAGE_H
