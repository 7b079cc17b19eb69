// What the compiler must know of a GPU to choose the geometry of kernels on a
// machine that has none. The bundled descriptions are those of the largest part
// of each architecture; a kernel runs on the smaller parts too.
#ifndef MPC_SUPPORT_GPUDESCRIPTION_H
#define MPC_SUPPORT_GPUDESCRIPTION_H

#include <cstdint>
#include <span>
#include <string_view>

namespace mpc {

struct GpuDescription {
  std::string_view arch; ///< "sm_90"
  std::string_view name; ///< "H200"
  uint32_t multiprocessors;
  uint32_t threadsPerMultiprocessor;
  uint32_t blocksPerMultiprocessor;
  uint32_t registersPerMultiprocessor; ///< 32-bit registers
  uint32_t sharedBytesPerMultiprocessor;
  uint32_t sharedBytesPerBlock; ///< what a kernel may use without asking
  uint64_t l2Bytes;
  double bytesPerSecond; ///< of device memory, reads and writes together
  /// Whether there are instructions between f8 (E4M3, E5M2) and f16 or f32.
  bool convertsF8;

  /// 9 and 0 of "sm_90".
  uint32_t major() const;
  uint32_t minor() const;
};

/// All architectures that the compiler compiles for, oldest first.
std::span<const GpuDescription> knownGpus();

/// The description of `arch`, or null.
const GpuDescription *findGpu(std::string_view arch);

} // namespace mpc

#endif // MPC_SUPPORT_GPUDESCRIPTION_H
