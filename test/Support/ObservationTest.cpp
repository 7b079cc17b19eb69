// What observations count, against the conversions of the project and the
// limits that the standards print.
#include "mpc/Support/Observation.h"

#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace mpc;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

/// Magnitudes of f32 around `value`.
std::vector<float> around(double value) {
  float middle = static_cast<float>(value);
  return {std::nextafter(middle, 0.0f), middle, std::nextafter(middle, kInf)};
}

TEST(NarrowingLimits, AreWhereConversionsLeaveTheRange) {
  // Every f32 with few mantissa bits, and the neighbours of the limits.
  auto check = [](DType type, auto round) {
    NarrowingLimits limits = getNarrowingLimits(type);
    std::vector<float> samples;
    for (uint32_t bits = 0; bits < 0x7f800000; bits += 0x8000)
      samples.push_back(std::bit_cast<float>(bits));
    for (double limit : {limits.overflow, limits.flush})
      for (float sample : around(limit))
        samples.push_back(sample);
    for (float sample : samples) {
      float rounded = round(sample);
      ASSERT_EQ(limits.overflows(sample), std::isinf(rounded)) << sample;
      ASSERT_EQ(limits.flushes(sample), sample != 0 && rounded == 0) << sample;
    }
  };
  check(DType::F16, [](float x) { return halfToFloat(floatToHalf(x)); });
  check(DType::BF16, [](float x) { return bfloatToFloat(floatToBFloat(x)); });
}

TEST(NarrowingLimits, OfTheOcpFormats) {
  // OFP8 1.0, table 1: E4M3 up to 448 = 1.75 * 2^8, and 480 would be NaN; the
  // tie at 464 goes to the even 448. E5M2 up to 57344; the tie at 61440 goes
  // to 65536. Smallest subnormals 2^-9 and 2^-16.
  NarrowingLimits e4m3 = getNarrowingLimits(DType::F8E4M3);
  EXPECT_FALSE(e4m3.overflows(448));
  EXPECT_FALSE(e4m3.overflows(464));
  EXPECT_TRUE(e4m3.overflows(std::nextafter(464.0, 1e9)));
  EXPECT_TRUE(e4m3.flushes(0x1p-10));
  EXPECT_FALSE(e4m3.flushes(std::nextafter(0x1p-10, 1.0)));
  NarrowingLimits e5m2 = getNarrowingLimits(DType::F8E5M2);
  EXPECT_FALSE(e5m2.overflows(std::nextafter(61440.0, 0.0)));
  EXPECT_TRUE(e5m2.overflows(61440));
  EXPECT_TRUE(e5m2.flushes(0x1p-17));
  EXPECT_FALSE(e5m2.flushes(0x1.8p-17));
}

TEST(Observation, CountsEachElementOnce) {
  float values[] = {0.0f, -0.0f, 1.5f, -3.0f, 1e5f, kInf, -kInf, NAN, 1e-9f};
  Observation seen = observe(DType::F32, values, std::size(values));
  EXPECT_EQ(seen.elements, 9);
  EXPECT_EQ(seen.infinite, 2);
  EXPECT_EQ(seen.nan, 1);
  EXPECT_EQ(seen.nonFinite(), 3);
  EXPECT_EQ(seen.zeros, 2);
  EXPECT_EQ(seen.largest, double(1e5f));
  EXPECT_EQ(seen.smallest, double(1e-9f));
  // f16 and both f8 formats; not bf16.
  EXPECT_EQ(seen.overflow, (std::array<double, 4>{1, 0, 1, 1}));
  EXPECT_EQ(seen.flush, (std::array<double, 4>{1, 0, 1, 1}));
  auto bin = [&](int exponent) {
    return seen.exponents[static_cast<size_t>(exponent - kLowestExponent)];
  };
  EXPECT_EQ(bin(0), 1);   // 1.5
  EXPECT_EQ(bin(1), 1);   // 3
  EXPECT_EQ(bin(16), 1);  // 1e5
  EXPECT_EQ(bin(-30), 1); // 1e-9
}

TEST(Observation, SubnormalsAndValuesBeyondF32) {
  double values[] = {0x1p-149, 0x1.8p-149, 1e300, 1e-300};
  Observation seen = observe(DType::F64, values, std::size(values));
  EXPECT_EQ(seen.exponents.front(), 3);
  EXPECT_EQ(seen.exponents.back(), 1);
  uint16_t halves[] = {0x0001, 0x7bff, 0x7c00,
                       0xfe00}; // 2^-24, 65504, inf, NaN
  seen = observe(DType::F16, halves, std::size(halves));
  EXPECT_EQ(seen.smallest, 0x1p-24);
  EXPECT_EQ(seen.largest, 65504);
  EXPECT_EQ(seen.infinite, 1);
  EXPECT_EQ(seen.nan, 1);
  uint16_t brains[] = {0x3f80, 0x7f7f}; // 1, the largest
  EXPECT_EQ(observe(DType::BF16, brains, 2).largest, 0x1.fep127);
}

TEST(Observation, MergesAsIfSeenTogether) {
  float values[] = {0.0f, 1e-3f, 2.0f, kInf, 7e4f, NAN};
  Observation whole = observe(DType::F32, values, 6);
  Observation parts = observe(DType::F32, values, 2);
  parts.merge(observe(DType::F32, values + 2, 4));
  EXPECT_EQ(std::memcmp(&parts, &whole, sizeof(whole)), 0);
}

} // namespace
