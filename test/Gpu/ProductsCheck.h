// Which products cuBLASLt makes on a device, and whether they are right: every
// type, epilogue and transposition that a program can ask for, against plain
// loops in f64, and whether NaN stays NaN. NVIDIA documents part of it; the
// rest is found by asking.
#ifndef MPC_TEST_GPU_PRODUCTSCHECK_H
#define MPC_TEST_GPU_PRODUCTSCHECK_H

#include "Runtime/Cuda/Api/Platform.h"

#include <string>
#include <vector>

namespace mpc::test {

/// One type and epilogue.
struct ProductRow {
  std::string types, asked;
  /// Transposed operands: "none", "lhs", "rhs", "both". Of `refused` there is
  /// no algorithm for some sizes: programs have a kernel for that.
  std::string made, refused;
  double error = 0; ///< largest, over 1 + |exact|
};

struct ProductReport {
  std::vector<ProductRow> rows;
  std::vector<std::string> wrong; ///< results, or no algorithm for a basic one
};

/// Fails with DeviceUnsupported if there is no device.
Result<ProductReport> checkProducts(const runtime::Platform &platform);

/// One JSON object per row.
std::string writeRows(const ProductReport &report);

} // namespace mpc::test

#endif // MPC_TEST_GPU_PRODUCTSCHECK_H
