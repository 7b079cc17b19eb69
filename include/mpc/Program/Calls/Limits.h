// What calls cannot do, those on a device whatever the device: the compiler,
// the check of program files and the kernels agree on it.
#ifndef MPC_PROGRAM_CALLS_LIMITS_H
#define MPC_PROGRAM_CALLS_LIMITS_H

#include <cstdint>

namespace mpc::program {

/// Queries, and keys, of attention anywhere.
constexpr int64_t kMaxAttentionTimes = int64_t(1) << 30;

/// Elements of a row of queries, keys or values: accumulators of two such rows
/// for each of 16 keys are in the registers of a warp.
constexpr int64_t kMaxDeviceAttentionWidth = 128;

/// Queries, and keys, of attention: positions, distances and sums of two of
/// them are counted in 32 bits.
constexpr int64_t kMaxDeviceAttentionTimes = int64_t(1) << 29;

} // namespace mpc::program

#endif // MPC_PROGRAM_CALLS_LIMITS_H
