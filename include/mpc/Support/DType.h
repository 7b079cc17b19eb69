// Number formats, known to both wings: names, sizes, ranges. No MLIR here.
#ifndef MPC_SUPPORT_DTYPE_H
#define MPC_SUPPORT_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mpc {

/// Element types of tensors. The numbers are part of the program format.
enum class DType : uint8_t {
  F64 = 0,
  F32 = 1,
  F16 = 2,
  BF16 = 3,
  I64 = 4,
  I32 = 5,
  I1 = 6, ///< One byte per element: 0 or 1.
  F8E4M3 = 7,
  F8E5M2 = 8,
};
constexpr int kNumDTypes = 9;

/// Facts of a format. For integers the float facts are zero.
struct DTypeInfo {
  std::string_view name; ///< As written in IR: "f32", "bf16", "i1".
  unsigned bytes;        ///< Of one stored element.
  unsigned mantissaBits; ///< Explicit bits of the significand.
  double maxFinite;      ///< Largest finite value.
  double minNormal;      ///< Smallest positive normal value.
  double minSubnormal;   ///< Smallest positive value; below half of it is zero.
};

const DTypeInfo &getInfo(DType type);
/// The format named `name` ("f16"), or nothing.
std::optional<DType> parseDType(std::string_view name);

// Conversions between f32 and the 16-bit formats, rounding to nearest even;
// NaN stays NaN, overflow becomes infinity, subnormals are kept.
uint16_t floatToHalf(float value);
float halfToFloat(uint16_t bits);
uint16_t floatToBFloat(float value);
float bfloatToFloat(uint16_t bits);

} // namespace mpc

#endif // MPC_SUPPORT_DTYPE_H
