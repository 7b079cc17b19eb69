#include "mpc/Support/DType.h"

#include <array>
#include <bit>

using namespace mpc;

static constexpr std::array<DTypeInfo, kNumDTypes> kInfos = {{
    {"f64", 8, 52, 0x1.fffffffffffffp+1023, 0x1p-1022, 0x1p-1074},
    {"f32", 4, 23, 0x1.fffffep+127, 0x1p-126, 0x1p-149},
    {"f16", 2, 10, 65504.0, 0x1p-14, 0x1p-24},
    {"bf16", 2, 7, 0x1.fep+127, 0x1p-126, 0x1p-133},
    {"i64", 8, 0, 0, 0, 0},
    {"i32", 4, 0, 0, 0, 0},
    {"i1", 1, 0, 0, 0, 0},
    {"f8E4M3FN", 1, 3, 448.0, 0x1p-6, 0x1p-9},
    {"f8E5M2", 1, 2, 57344.0, 0x1p-14, 0x1p-16},
}};

const DTypeInfo &mpc::getInfo(DType type) {
  return kInfos[static_cast<size_t>(type)];
}

std::optional<DType> mpc::parseDType(std::string_view name) {
  for (size_t i = 0; i < kInfos.size(); ++i)
    if (kInfos[i].name == name)
      return static_cast<DType>(i);
  return std::nullopt;
}

uint16_t mpc::floatToBFloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>((bits >> 16) | 0x0040); // quiet NaN
  bits += 0x7fff + ((bits >> 16) & 1);
  return static_cast<uint16_t>(bits >> 16);
}

float mpc::bfloatToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t mpc::floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00; // quiet NaN
  if (magnitude >= 0x477ff000)
    return sign | 0x7c00; // 65520 and above round to infinity
  if (magnitude < 0x38800000) {
    // Subnormal or zero: adding 2^-1 aligns the last kept bit with the last
    // bit of the float significand, so the addition rounds to nearest even.
    float aligned = std::bit_cast<float>(magnitude) + 0.5f;
    return sign |
           static_cast<uint16_t>(std::bit_cast<uint32_t>(aligned) - 0x3f000000);
  }
  magnitude += 0xfff + ((magnitude >> 13) & 1);
  return sign | static_cast<uint16_t>((magnitude - 0x38000000) >> 13);
}

float mpc::halfToFloat(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f;
  uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
  if (exponent == 0) {
    float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) |
                              (mantissa << 13));
}
