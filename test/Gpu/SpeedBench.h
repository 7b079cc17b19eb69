// Times work on a device, in memory full of random numbers: zeros draw less
// power, and so are faster than what a model multiplies.
#ifndef MPC_TEST_GPU_SPEEDBENCH_H
#define MPC_TEST_GPU_SPEEDBENCH_H

#include "ProductSpeed.h"
#include "Runtime/Cuda/Api/Handles.h"
#include "Runtime/Cuda/Device.h"
#include "Runtime/Cuda/MatmulCase.h"

#include <functional>
#include <span>

namespace mpc::test {

class SpeedBench {
public:
  /// With `bytes` for operands.
  static Result<SpeedBench> open(const runtime::Platform &platform,
                                 uint64_t bytes);
  /// Seconds of one run of `work`, over about `seconds` of running.
  Result<double> time(const std::function<Status()> &work, double seconds);
  /// Seconds of copying `bytes`, at most half of the operands' memory.
  Result<double> timeCopy(uint64_t bytes, double seconds);
  Result<ProductSpeed> measure(const std::string &name,
                               runtime::fake::MatmulCase product,
                               const SpeedOptions &options);
  /// Of one call on random numbers: how fast, and whether it gives the same
  /// bytes again.
  struct CallSpeed {
    double seconds = 0;
    uint64_t workspaceBytes = 0;
    bool repeats = false;
  };
  Result<CallSpeed> measure(runtime::CallLibrary &library,
                            const program::Call &call, double seconds);
  const runtime::Device &device() const { return card; }

private:
  explicit SpeedBench(const runtime::CudaApi &cuda) : cuda(cuda) {}
  Status fillRandom(uint64_t bytes);
  std::vector<void *> place(const program::Call &product) const;
  Result<std::unique_ptr<runtime::CublasLt>> openLibrary(double tuning) const;
  struct Chosen;
  /// The first proposal, or tuned for `tuning` milliseconds.
  Result<Chosen> choose(const program::Call &product, double tuning);
  Status timeInTurns(std::span<Chosen> products, double seconds);
  Result<bool> repeats(const program::Call &product);
  /// Of a call that was made on `pointers`.
  Result<bool> repeats(const program::Call &call, runtime::LibraryCall &made,
                       std::span<void *const> pointers, void *workspace);

  const runtime::CudaApi &cuda;
  const runtime::CublasLtApi *blas = nullptr;
  runtime::Device card;
  runtime::Stream stream;
  runtime::Event begin, end;
  runtime::DeviceMemory operands, workspace;
};

} // namespace mpc::test

#endif // MPC_TEST_GPU_SPEEDBENCH_H
