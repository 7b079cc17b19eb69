// What the kernels of attention are checked on: every kernel, with every
// feature, on shapes that fill blocks and that do not.
#ifndef MPC_KERNELS_DRIVER_ATTENTIONCASES_H
#define MPC_KERNELS_DRIVER_ATTENTIONCASES_H

#include "kernels/Attention/Attention.h"
#include "kernels/driver/Device.h"
#include <array>
#include <optional>
#include <string>

namespace mpc::kernels {

struct AttentionCase {
  DType type = DType::F32;
  int64_t batch = 1, queries = 1, keys = 1, heads = 1, keyHeads = 1, width = 1,
          valueWidth = 1;
  bool causal = false;
  int64_t window = 0;
  double softcap = 0, dropout = 0;
  std::optional<double> scale = {}; ///< else 1 / sqrt(width)
  std::optional<DType> mask = {};   ///< its first query sees nothing
  /// Along batch, head, query and key: the mask is the same for all.
  std::array<bool, 4> sharesMask = {false, true, false, false};
  bool isPacked = false;     ///< query, key and value are parts of one tensor
  int64_t skip = 0;          ///< elements between rows, if not packed
  double mean = 0, size = 1; ///< of operands; size: standard deviation
  uint64_t seed = 0;         ///< of the data
};

/// `count` cases, whose types and features are drawn independently; `longest`:
/// of times.
std::vector<AttentionCase> makeAttentionCases(int count, int64_t longest);

/// "bf16, 2 x 65 x 4 heads by 70 x 2 of 64, causal".
std::string describe(const AttentionCase &which);

/// Runs one case forward and backward on a device; "" or what is wrong.
std::string check(Device &device, const AttentionCase &which);

} // namespace mpc::kernels

#endif // MPC_KERNELS_DRIVER_ATTENTIONCASES_H
