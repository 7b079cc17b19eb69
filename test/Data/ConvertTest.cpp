// Expected bits of halves are NumPy's, of bfloats from the definition.
#include "mpc/Data/Tensor.h"

#include "TemporaryFolder.h"

#include <cmath>
#include <cstring>
#include <immintrin.h>
#include <limits>
#include <span>

using namespace mpc;
using namespace mpc::data;

template <typename T>
static Tensor make(ElementFormat format, std::vector<T> values) {
  Tensor tensor{format, {static_cast<int64_t>(values.size())}, {}};
  auto bytes = std::as_bytes(std::span(values));
  tensor.bytes.assign(bytes.begin(), bytes.end());
  return tensor;
}

template <typename T> static std::vector<T> values(const Tensor &tensor) {
  std::vector<T> result(tensor.bytes.size() / sizeof(T));
  std::memcpy(result.data(), tensor.bytes.data(), tensor.bytes.size());
  return result;
}

constexpr ElementFormat kF64{ElementFormat::Float, 8};

TEST(Convert, DoubleToHalfRoundsOnce) {
  Tensor from = make<double>(kF64, {1.0 / 3, 65519.0, 65520.0, 1e-8, 0x1p-25,
                                    0x1p-25 * 1.0001, 1.0004882812500002,
                                    2049.0, 2051.0, -0.0});
  Result<Tensor> to = convert(from, DType::F16, "x");
  ASSERT_TRUE(to);
  EXPECT_EQ(values<uint16_t>(*to),
            (std::vector<uint16_t>{0x3555, 0x7bff, 0x7c00, 0, 0, 1, 0x3c01,
                                   0x6800, 0x6802, 0x8000}));
}

TEST(Convert, DoubleToBFloatRoundsOnce) {
  // 1 + 2^-8 lies in the middle of two bfloats; a tiny bit more goes up.
  Tensor from = make<double>(kF64, {1 + 0x1p-8, 1 + 0x1p-8 + 0x1p-50, 3.0});
  Result<Tensor> to = convert(from, DType::BF16, "x");
  ASSERT_TRUE(to);
  EXPECT_EQ(values<uint16_t>(*to),
            (std::vector<uint16_t>{0x3f80, 0x3f81, 0x4040}));
}

TEST(Convert, LongIntegersRoundOnce) {
  // Half way between two bfloats, or floats, and one above: f64 holds no such
  // number beyond 2^53.
  constexpr int64_t tie = (int64_t(1) << 53) + (int64_t(1) << 45);
  Tensor from = make<int64_t>({ElementFormat::Signed, 8},
                              {tie, tie + 1, -tie - 1, int64_t(1) << 53});
  EXPECT_EQ(values<uint16_t>(*convert(from, DType::BF16, "x")),
            (std::vector<uint16_t>{0x5a00, 0x5a01, 0xda01, 0x5a00}));
  constexpr uint64_t large = (uint64_t(1) << 63) + (uint64_t(1) << 39);
  Tensor positive =
      make<uint64_t>({ElementFormat::Unsigned, 8}, {large, large + 1});
  EXPECT_EQ(values<float>(*convert(positive, DType::F32, "x")),
            (std::vector<float>{0x1p63f, 0x1.000002p63f}));
  // f64 itself: to the nearest.
  EXPECT_EQ(values<double>(*convert(from, DType::F64, "x")),
            (std::vector<double>{0x1.01p53, 0x1.01p53, -0x1.01p53, 0x1p53}));
}

TEST(Convert, ArithmeticOfTheCallerDoesNotMatter) {
  Tensor from = make<float>({ElementFormat::Float, 4}, {0x1p-130f, 1.0f / 3});
  unsigned before = _mm_getcsr();
  _mm_setcsr(0xffc0); // subnormals are zeros, and rounding is to zero
  Result<Tensor> to = convert(from, DType::BF16, "x");
  unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after & 0xffc0, 0xffc0u);
  ASSERT_TRUE(to);
  EXPECT_EQ(values<uint16_t>(*to), (std::vector<uint16_t>{0x0008, 0x3eab}));
}

TEST(Convert, IntegersOfEveryWidth) {
  Tensor bytes = make<uint8_t>({ElementFormat::Unsigned, 1}, {0, 255});
  EXPECT_EQ(values<float>(*convert(bytes, DType::F32, "x")),
            (std::vector<float>{0, 255}));
  Tensor shorts = make<int16_t>({ElementFormat::Signed, 2}, {-32768, 7});
  EXPECT_EQ(values<int64_t>(*convert(shorts, DType::I64, "x")),
            (std::vector<int64_t>{-32768, 7}));
  Tensor floats = make<float>({ElementFormat::Float, 4}, {-2.0f, 5.0f});
  EXPECT_EQ(values<int32_t>(*convert(floats, DType::I32, "x")),
            (std::vector<int32_t>{-2, 5}));
  Tensor bools = make<uint8_t>({ElementFormat::Bool, 1}, {0, 1});
  EXPECT_EQ(values<float>(*convert(bools, DType::F32, "x")),
            (std::vector<float>{0, 1}));
}

TEST(Convert, WhatDoesNotFitIsAnError) {
  auto message = [](const Tensor &tensor, DType type) {
    return convert(tensor, type, "'x.npy'").status().message();
  };
  EXPECT_EQ(
      message(make<int64_t>({ElementFormat::Signed, 8}, {0, 1LL << 31}),
              DType::I32),
      "'x.npy': value 2147483648 at element 1 cannot be converted to i32");
  EXPECT_EQ(message(make<uint64_t>({ElementFormat::Unsigned, 8}, {UINT64_MAX}),
                    DType::I64),
            "'x.npy': value 18446744073709551615 at element 0 cannot be "
            "converted to i64");
  EXPECT_EQ(message(make<double>(kF64, {1.5}), DType::I32),
            "'x.npy': value 1.5 at element 0 cannot be converted to i32");
  EXPECT_EQ(message(make<double>(kF64, {std::nan("")}), DType::I64),
            "'x.npy': value nan at element 0 cannot be converted to i64");
  EXPECT_EQ(message(make<double>(kF64, {2.0}), DType::I1),
            "'x.npy': value 2 at element 0 cannot be converted to i1");
  EXPECT_EQ(message(make<double>(kF64, {2.0}), DType::F8E4M3),
            "'x.npy': conversion to f8E4M3FN is not supported");
}

TEST(Tensor, CountsWithoutOverflow) {
  EXPECT_EQ(countElements({}), 1u);
  EXPECT_EQ(countElements({3, 0, INT64_MAX}), 0u);
  EXPECT_EQ(countElements({INT64_MAX, 2}), uint64_t(INT64_MAX) * 2);
  EXPECT_EQ(countElements({INT64_MAX, 3}), std::nullopt);
  EXPECT_EQ(countElements({-1}), std::nullopt);
}

TEST(Tensor, FindsNonFinite) {
  float inf = std::numeric_limits<float>::infinity();
  Tensor tensor = make<float>({ElementFormat::Float, 4}, {1, -inf, NAN});
  EXPECT_EQ(findNonFinite(tensor), 1u);
  EXPECT_EQ(valueAsText(tensor, 1), "-inf");
  Tensor half = make<uint16_t>({ElementFormat::Float, 2}, {0x3c00, 0x7e00});
  EXPECT_EQ(findNonFinite(half), 1u);
  Tensor bfloat = make<uint16_t>({ElementFormat::BFloat, 2}, {0x7f7f});
  EXPECT_EQ(findNonFinite(bfloat), std::nullopt);
}
