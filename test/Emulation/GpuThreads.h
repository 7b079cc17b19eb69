// A GPU's grid of threads on the CPU: blocks one after the other, each thread
// of a block a fiber, with barriers, warp shuffles and shared memory. No MLIR;
// generated kernels (EmulatedModule.h) and CUDA C++ compiled as plain C++
// (CudaLanguage.h) run on it.
//
// What a GPU leaves open is done in the way that hurts most. A warp runs as far
// as it can before the next one starts; the order of the warps, and of the
// lanes in a warp, changes with every interval between two barriers and with
// the seed. Shared memory is filled with NaN when a block begins. So a missing
// barrier shows as wrong numbers; if the kernel reports its accesses
// (MemoryChecker.h), as a race.
//
// Wrong use ends the launch with a message: a barrier that some threads do not
// reach, a shuffle that a lane of the warp does not take part in, a race.
#ifndef MPC_TEST_EMULATION_GPUTHREADS_H
#define MPC_TEST_EMULATION_GPUTHREADS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace mpc::emulation {

constexpr uint32_t kWarpSize = 32;
constexpr uint32_t kAllLanes = 0xffffffff;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t size() const { return uint64_t(x) * y * z; }
};

class MemoryChecker;

struct Launch {
  Dim3 grid = {}, block = {};
  /// Of each block, aligned to 256 bytes.
  size_t sharedBytes = 0;
  /// Of the order of blocks and threads; 0: ascending.
  uint64_t seed = 1;
  /// Threads of the host that share the blocks. Kernels that keep shared
  /// memory in static variables, and checked ones, need 1.
  unsigned hostThreads = 1;
  /// Looks at the accesses that the kernel reports; may be null.
  MemoryChecker *checker = nullptr;
};

/// Calls `kernel(argument)` once per thread of the grid. Returns what went
/// wrong, "" if nothing did. Destructors of threads that were under way then
/// do not run.
[[nodiscard]] std::string
launch(const Launch &launch, void (*kernel)(void *argument), void *argument);

// The rest is called by kernels only.

Dim3 getThreadIdx();
Dim3 getBlockIdx();
Dim3 getBlockDim();
Dim3 getGridDim();
/// x fastest.
uint32_t getThreadNumber();
void *getSharedMemory();
/// Shuffles, votes and synchronisations that the thread's warp has completed in
/// this block.
uint32_t getWarpEpoch();

/// Waits for all threads of the block. `site` tells barriers of a kernel apart:
/// all threads must wait at the same one; 0: not known.
void barrier(uint32_t site = 0);

enum class ShuffleMode : uint32_t { Xor, Up, Down, Index };

struct Shuffled {
  uint64_t value;
  bool isValid; ///< Else the source was outside of the lane's segment.
};

/// The `value` of another lane, as CUDA's __shfl_*_sync: lanes of `mask`, in
/// segments of `width` lanes (a power of two).
Shuffled shuffle(ShuffleMode mode, uint64_t value, uint32_t offset,
                 uint32_t width = kWarpSize, uint32_t mask = kAllLanes);
/// Bit per lane of `mask` whose predicate holds.
uint32_t ballot(bool predicate, uint32_t mask = kAllLanes);
/// Waits for the lanes of `mask`.
void synchronizeWarp(uint32_t mask = kAllLanes);

/// Has the launch end with `message`, at the next `stop`.
void setFailure(const std::string &message);
/// Ends the launch. Does not return, so the caller should own nothing.
[[noreturn]] void stop();

} // namespace mpc::emulation

#endif // MPC_TEST_EMULATION_GPUTHREADS_H
