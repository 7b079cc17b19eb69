// How fast cuDNN's convolutions are on a device, at the sizes of ResNet-50, and
// whether they give the same bytes twice, as their engines are chosen for.
#ifndef MPC_TEST_GPU_CONVOLUTIONSPEED_H
#define MPC_TEST_GPU_CONVOLUTIONSPEED_H

#include "Runtime/Cuda/Api/Platform.h"

#include <string>
#include <vector>

namespace mpc::test {

/// One convolution, or the gradient for input or weight, in bf16, channels
/// last.
struct ConvolutionSpeed {
  std::string convolution;
  double rate = 0; ///< of 10^12 operations per second
  uint64_t workspaceBytes = 0;
  bool repeats = false;
};

/// The stem and the convolutions of 3 x 3 of ResNet-50 on `batch` images. Fails
/// with DeviceUnsupported where there is no device, or no cuDNN.
Result<std::vector<ConvolutionSpeed>>
measureConvolutions(const runtime::Platform &platform, int64_t batch,
                    double seconds);

/// One JSON object per row.
std::string writeRows(const std::vector<ConvolutionSpeed> &rows);

} // namespace mpc::test

#endif // MPC_TEST_GPU_CONVOLUTIONSPEED_H
