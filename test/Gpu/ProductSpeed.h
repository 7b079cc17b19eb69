// How fast cuBLASLt's products are on a device, at the sizes that matter, and
// whether they give the same bytes twice, as NVIDIA promises.
#ifndef MPC_TEST_GPU_PRODUCTSPEED_H
#define MPC_TEST_GPU_PRODUCTSPEED_H

#include "Runtime/Cuda/Api/Platform.h"

#include <string>
#include <vector>

namespace mpc::test {

/// Of 10^12 operations per second.
struct ProductSpeed {
  std::string product, asked;
  /// Whether there is an algorithm for the product and what stands beside it.
  bool fused = false;
  double first = 0; ///< by the first proposal
  double best = 0;  ///< by the fastest of eight
  double plain = 0; ///< the fastest without anything beside it
  bool repeats = false;
};

struct SpeedOptions {
  int64_t tokens = 32768; ///< rows of activations
  int64_t width = 768;
  int64_t classes = 50304;
  int64_t peak = 8192;   ///< rows and columns of the product that probes
  double tuning = 100;   ///< milliseconds for the choice of an algorithm
  double seconds = 0.02; ///< of each measurement
};

/// The matrix products of a step of GPT-2: of one block, and of the head, in
/// bf16. Fails with DeviceUnsupported if there is no device.
Result<std::vector<ProductSpeed>>
measureStepProducts(const runtime::Platform &platform,
                    const SpeedOptions &options);

/// What the machine has, as JSON objects: the device, each library with version
/// and file, bytes per second of a copy, and a large product. Fails where there
/// is no device or no cuBLASLt; a library that not every program needs is a
/// line that says why it is missing.
Result<std::vector<std::string>> probe(const runtime::Platform &platform,
                                       const SpeedOptions &options);

/// One JSON object per row.
std::string writeRows(const std::vector<ProductSpeed> &rows);

} // namespace mpc::test

#endif // MPC_TEST_GPU_PRODUCTSPEED_H
