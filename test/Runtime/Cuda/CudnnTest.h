// What the tests of calls by cuDNN begin with: a device of which only cuDNN is
// there, as FakeCudnn, and runs what it is given at once.
#ifndef MPC_TEST_RUNTIME_CUDA_CUDNNTEST_H
#define MPC_TEST_RUNTIME_CUDA_CUDNNTEST_H

#include "FakeCudnn.h"
#include "Runtime/Cuda/Calls/CallLibrary.h"

#include <gtest/gtest.h>

namespace mpc::test {

struct CudnnTest : testing::Test {
  CudnnTest() {
    current = this;
    platform.openCudnn = []() -> Result<const runtime::CudnnApi *> {
      if (!current->hasCudnn)
        return Status(StatusCode::DeviceUnsupported, "no cuDNN here");
      return &current->cudnn.api();
    };
    cudnn.submit = [this](cudaStream_t,
                          const std::function<std::string()> &run) {
      failure = run();
    };
    device.ordinal = 1;
    cuda.cudaGetDevice = [](int *found) {
      *found = currentDevice;
      return cudaSuccess;
    };
    cuda.cudaSetDevice = [](int wanted) {
      currentDevice = wanted;
      return cudaSuccess;
    };
    cuda.cudaStreamSynchronize = [](cudaStream_t) { return cudaSuccess; };
    platform.cuda = &cuda;
  }

  runtime::LibraryContext context() {
    return {platform, device, options,
            [this](runtime::LogLevel, const std::string &text) {
              logged.push_back(text);
            }};
  }

  static inline CudnnTest *current;
  static inline int currentDevice = 0;
  runtime::CudaApi cuda = {};
  runtime::fake::FakeCudnn cudnn;
  runtime::Platform platform = {};
  runtime::Device device;
  runtime::DeviceOptions options;
  bool hasCudnn = true;
  std::string failure; ///< of what ran last; ""
  std::vector<std::string> logged;
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_CUDA_CUDNNTEST_H
