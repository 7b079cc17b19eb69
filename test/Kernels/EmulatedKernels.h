// The multi-tensor kernels as plain C++, thread by thread. In a binary that is
// linked with MPCEmulatedKernels instead of mpc_kernels, plans name these.
#ifndef MPC_TEST_KERNELS_EMULATEDKERNELS_H
#define MPC_TEST_KERNELS_EMULATEDKERNELS_H

#include "kernels/driver/Device.h"
#include <memory>

namespace mpc::test {

/// Runs kernel `function` of a plan. `seed`: of the order of threads and
/// blocks. Returns what went wrong, "" if nothing did.
[[nodiscard]] std::string runKernel(const void *function, uint32_t grid,
                                    uint32_t block,
                                    const kernels::Parameters &parameters,
                                    uint64_t seed = 1);

/// The same of one of attention's.
[[nodiscard]] std::string
runAttention(const void *function, uint32_t grid, uint32_t block,
             uint32_t sharedBytes,
             const kernels::AttentionParameters &parameters, uint64_t seed = 1);
/// All of attention's.
std::vector<const void *> findAttentionKernels();

/// One __syncthreads of the kernels.
struct Barrier {
  std::string_view file; ///< a literal: threads may be abandoned
  int line;
  bool operator==(const Barrier &) const = default;
};
/// Those that threads came to since the last call.
std::vector<Barrier> takeBarriers();
/// Lets threads pass `barrier` without waiting.
void removeBarrier(std::optional<Barrier> barrier);

class EmulatedDevice final : public kernels::Device {
public:
  EmulatedDevice(uint32_t count, uint64_t seed) : count(count), seed(seed) {}

  uint32_t multiprocessors() const override { return count; }
  Result<void *> upload(std::span<const uint8_t> bytes) override;
  Status write(void *to, std::span<const uint8_t> bytes) override;
  Status run(kernels::Launch &launch) override;
  Status run(kernels::AttentionLaunch &launch) override;
  Status download(const void *from, std::span<uint8_t> bytes) override;
  void clear() override { blocks.clear(); }

private:
  struct Release {
    void operator()(void *memory) const;
  };
  uint32_t count;
  uint64_t seed;
  std::vector<std::unique_ptr<void, Release>> blocks;
};

} // namespace mpc::test

#endif // MPC_TEST_KERNELS_EMULATEDKERNELS_H
