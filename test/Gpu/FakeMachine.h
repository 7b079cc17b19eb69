// A machine of host memory for what measures and checks products: a card,
// cuBLASLt, cuDNN and NCCL, each of which may be missing.
#ifndef MPC_TEST_GPU_FAKEMACHINE_H
#define MPC_TEST_GPU_FAKEMACHINE_H

#include "Runtime/Cuda/FakeCublasLt.h"
#include "Runtime/Cuda/FakeCuda.h"
#include "Runtime/Cuda/FakeCudnn.h"
#include "Runtime/Cuda/FakeNccl.h"

#include <gtest/gtest.h>

namespace mpc::test {

struct FakeMachine : testing::Test {
  FakeMachine() {
    current = this;
    cuda.logging = false;
    blas.submit = [this](cudaStream_t stream, std::function<void()> work) {
      (void)cuda.enqueue(stream, "product", std::move(work));
    };
    cudnn.submit = [this](cudaStream_t stream,
                          const std::function<std::string()> &work) {
      (void)cuda.enqueue(stream, "convolution", [work] { (void)work(); });
    };
    platform.cuda = &cuda.api();
    platform.openCublasLt = []() -> Result<const runtime::CublasLtApi *> {
      if (!current->hasBlas)
        return Status(StatusCode::DeviceUnsupported, "no cuBLASLt");
      return &current->blas.api();
    };
    platform.openCudnn = []() -> Result<const runtime::CudnnApi *> {
      if (!current->hasCudnn)
        return Status(StatusCode::DeviceUnsupported, "no cuDNN");
      return &current->cudnn.api();
    };
    platform.openNccl = []() -> Result<const runtime::NcclApi *> {
      if (!current->hasNccl)
        return Status(StatusCode::DeviceUnsupported, "no NCCL");
      return &current->nccl.api();
    };
  }

  static inline FakeMachine *current; ///< A platform's functions are plain.
  FakeCuda cuda;
  runtime::fake::FakeCublasLt blas;
  runtime::fake::FakeCudnn cudnn;
  runtime::fake::FakeNccl nccl;
  runtime::Platform platform = {};
  bool hasBlas = true, hasCudnn = true, hasNccl = true;
};

} // namespace mpc::test

#endif // MPC_TEST_GPU_FAKEMACHINE_H
