// Compiled GPU kernels that run on the CPU: a shared object that
// EmulatedModule.h wrote, possibly in another process. No MLIR.
//
// The shared object has for each kernel
//   void name(void *const *args, int64_t block, int64_t thread)
//   const int64_t name.launch[2]      number of args, bytes of shared memory
// where args are the kernel's own and then the block's shared memory; and
//   const EmulationTable *mpc_emulation
// which the loader sets: what kernels call.
#ifndef MPC_TEST_EMULATION_EMULATEDCODE_H
#define MPC_TEST_EMULATION_EMULATEDCODE_H

#include "GpuThreads.h"
#include <memory>
#include <span>
#include <vector>

namespace mpc::emulation {

class EmulatedCode {
public:
  /// Loads a shared object. On failure null, and `failure` tells why.
  static std::unique_ptr<EmulatedCode> load(std::span<const uint8_t> object,
                                            std::string &failure);
  ~EmulatedCode();

  bool hasKernel(const std::string &kernel) const;
  /// Runs `kernel` on pointers to its arguments' buffers. `launch.sharedBytes`
  /// is the dynamic shared memory. Returns what went wrong, or "".
  [[nodiscard]] std::string run(const std::string &kernel, Launch launch,
                                void *const *args) const;

private:
  EmulatedCode() = default;
  void *library = nullptr;
  int file = -1;
};

/// What a generated kernel calls, in this order. All numbers are 64 bits wide.
struct EmulationTable {
  void (*barrier)(int64_t site);
  int64_t (*shuffle)(int64_t mode, int64_t value, int64_t offset);
  /// Of the thread's last shuffle.
  int64_t (*isShuffleValid)();
  int64_t (*blockSize)();
  int64_t (*gridSize)();
  /// Accesses of `bytes` each, one after the other, where `mask` has bits.
  void (*read)(int64_t address, int64_t bytes, int64_t mask);
  void (*write)(int64_t address, int64_t bytes, int64_t mask);
  /// Copies when the thread waits for what it copies, not before.
  void (*copyLater)(int64_t to, int64_t from, int64_t bytes);
  void (*awaitCopies)();
};

} // namespace mpc::emulation

#endif // MPC_TEST_EMULATION_EMULATEDCODE_H
