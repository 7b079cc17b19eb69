// NaN, infinities and signed zeros go through kernels as through PyTorch.
#include "TestedModules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mpc;
using namespace mpc::test;
using reference::Tensor;

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

void expectElements(const Tensor &actual, const std::vector<double> &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    double x = actual.value(i), y = expected[i];
    EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y)))
        << "element " << i << " is " << x << ", not " << y;
  }
}

Tensor vector(std::vector<double> values, DType type = DType::F32) {
  int64_t size = int64_t(values.size());
  return Tensor::real(type, {size}, std::move(values));
}

class SpecialValues : public ::testing::Test {
protected:
  std::vector<Tensor> run(const std::string &text, std::vector<Tensor> inputs) {
    std::vector<Tensor> results; // of the first target
    for (const std::string &target : getTestedTargets()) {
      auto module = compileForTest(text, target);
      EXPECT_TRUE(module->isValid());
      if (!module->isValid())
        return {};
      std::vector<Tensor> own = module->run("f", inputs, {});
      if (results.empty())
        results = std::move(own);
      else
        EXPECT_TRUE(haveEqualBits(results, own)) << target;
    }
    return results;
  }
};
} // namespace

TEST_F(SpecialValues, ReluAndMaximumKeepNan) {
  auto results =
      run(R"(
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.maximum %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.minimum %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
})",
          {vector({kNan, -1, kInf, -kInf}), vector({1, kNan, 2, 3})});
  expectElements(results[0], {kNan, 0, kInf, 0});
  expectElements(results[1], {kNan, kNan, kInf, 3});
  expectElements(results[2], {kNan, kNan, 2, -kInf});
}

// As PyTorch 2.15 has them. mish and silu multiply -inf by 0.
TEST_F(SpecialValues, ActivationsDoNotOverflow) {
  auto results = run(R"(
func.func @f(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %0 = graph.silu %x : tensor<6xf32>
  %1 = graph.mish %x : tensor<6xf32>
  %2 = graph.softplus %x : tensor<6xf32>
  %3 = graph.elu %x : tensor<6xf32>
  %4 = graph.hardsigmoid %x : tensor<6xf32>
  %5 = graph.hardswish %x : tensor<6xf32>
  %6 = graph.leaky_relu %x negative_slope = 0.5 : tensor<6xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
})",
                     {vector({kNan, kInf, -kInf, 1e30, -1e30, 0})});
  expectElements(results[0], {kNan, kInf, kNan, 1e30f, 0, 0});
  expectElements(results[1], {kNan, kInf, kNan, 1e30f, 0, 0});
  expectElements(results[2], {kNan, kInf, 0, 1e30f, 0, std::log(2.0f)});
  expectElements(results[3], {kNan, kInf, -1, 1e30f, -1, 0});
  expectElements(results[4], {kNan, 1, 0, 1, 0, 0.5});
  expectElements(results[5], {kNan, kInf, kNan, 1e30f, 0, 0});
  expectElements(results[6], {kNan, kInf, -kInf, 1e30f, -0.5e30f, 0});
}

// NaN is the largest, the first of several; where all are -inf, the first
// element is, and no place beside them.
TEST_F(SpecialValues, MaxPoolTakesNanAndElements) {
  auto results = run(R"(
func.func @f(%x: tensor<1x1x7xf32>) -> (tensor<1x1x3xf32>, tensor<1x1x3xi32>, tensor<1x1x1xf32>, tensor<1x1x1xi32>) {
  %0, %1 = graph.max_pool %x kernel = [4] strides = [3] low = [2] high = [1] : (tensor<1x1x7xf32>) -> (tensor<1x1x3xf32>, tensor<1x1x3xi32>)
  %2, %3 = graph.adaptive_max_pool %x sizes = [1] : (tensor<1x1x7xf32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xi32>)
  return %0, %1, %2, %3 : tensor<1x1x3xf32>, tensor<1x1x3xi32>, tensor<1x1x1xf32>, tensor<1x1x1xi32>
})",
                     {Tensor::real(DType::F32, {1, 1, 7},
                                   {-kInf, -kInf, kNan, 1, kNan, kInf, 2})});
  expectElements(results[0], {-kInf, kNan, kNan});
  expectElements(results[1], {0, 2, 4});
  expectElements(results[2], {kNan});
  expectElements(results[3], {2});
}

TEST_F(SpecialValues, RoundingsOfTiesAndSpecials) {
  auto results = run(R"(
func.func @f(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi1>, tensor<8xi1>) {
  %0 = graph.floor %x : tensor<8xf32>
  %1 = graph.ceil %x : tensor<8xf32>
  %2 = graph.round %x : tensor<8xf32>
  %3 = graph.sign %x : tensor<8xf32>
  %4 = graph.clamp %x min = -1.0 max = 2.0 : tensor<8xf32>
  %5 = graph.is_nan %x : (tensor<8xf32>) -> tensor<8xi1>
  %6 = graph.is_inf %x : (tensor<8xf32>) -> tensor<8xi1>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi1>, tensor<8xi1>
})",
                     {vector({kNan, kInf, -kInf, 0.5, 1.5, -2.5, -0.3, 1e30})});
  expectElements(results[0], {kNan, kInf, -kInf, 0, 1, -3, -1, 1e30f});
  expectElements(results[1], {kNan, kInf, -kInf, 1, 2, -2, 0, 1e30f});
  EXPECT_TRUE(std::signbit(results[1].value(6)));
  expectElements(results[2], {kNan, kInf, -kInf, 0, 2, -2, 0, 1e30f});
  expectElements(results[3], {0, 1, -1, 1, 1, -1, -1, 1});
  expectElements(results[4], {kNan, 2, -1, 0.5, 1.5, -1, -0.3f, 2});
  expectElements(results[5], {1, 0, 0, 0, 0, 0, 0, 0});
  expectElements(results[6], {0, 1, 1, 0, 0, 0, 0, 0});
}

TEST_F(SpecialValues, StatisticsOfInfinitiesAndNan) {
  auto results =
      run(R"(
func.func @f(%x: tensor<4x2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.logsumexp %x dims = [1] : (tensor<4x2xf32>) -> tensor<4xf32>
  %1 = graph.min %x dims = [1] : (tensor<4x2xf32>) -> tensor<4xf32>
  %2 = graph.norm %x dims = [1] : (tensor<4x2xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
})",
          {Tensor::real(DType::F32, {4, 2},
                        {kNan, 1, kInf, 1, -kInf, -kInf, 1000, -kInf})});
  expectElements(results[0], {kNan, kInf, -kInf, 1000});
  expectElements(results[1], {kNan, 1, -kInf, -kInf});
  expectElements(results[2], {kNan, kInf, kInf, kInf});
}

// Wherever NaN stands in a row, in the first vector or the last, all of the row
// is, and no other.
TEST_F(SpecialValues, SoftmaxOfRowsWithNan) {
  constexpr int64_t rows = 8, columns = 203;
  const std::vector<int64_t> places = {0, 15, 16, 63, 100, 192, 202};
  for (const std::string element : {"f32", "f16", "bf16"}) {
    std::vector<double> values(rows * columns, -kInf);
    for (int64_t i = 0; i < rows * columns; i += 3)
      values[i] = double(i % 7) - 3;
    for (size_t row = 0; row < places.size(); ++row)
      values[row * columns + places[row]] = kNan;
    DType type = element == "f32"   ? DType::F32
                 : element == "f16" ? DType::F16
                                    : DType::BF16;
    std::string t = "tensor<8x203x" + element + ">";
    auto results = run(
        "func.func @f(%x: " + t + ") -> (" + t + ", " + t +
            ", tensor<8xf32>) {\n  %0 = graph.softmax %x dim = 1 : (" + t +
            ") -> " + t + "\n  %1 = graph.log_softmax %x dim = 1 : (" + t +
            ") -> " + t + "\n  %w = graph.cast %x : (" + t +
            ") -> tensor<8x203xf32>\n  %2 = graph.logsumexp %w dims = [1] : "
            "(tensor<8x203xf32>) -> tensor<8xf32>\n  return %0, %1, %2 : " +
            t + ", " + t + ", tensor<8xf32>\n}",
        {Tensor::real(type, {rows, columns}, values)});
    for (const Tensor &result : results)
      for (size_t i = 0; i < size_t(result.size()); ++i) {
        size_t row = i * rows / result.size();
        EXPECT_EQ(std::isnan(result.value(i)), row < places.size())
            << element << ", element " << i;
      }
  }
}

TEST_F(SpecialValues, ComparisonsWithNanAreFalseButForNe) {
  auto results = run(R"(
func.func @f(%x: tensor<2xf32>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %0 = graph.compare <eq> %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %1 = graph.compare <ne> %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %2 = graph.compare <ge> %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0, %1, %2 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
})",
                     {vector({kNan, 1})});
  expectElements(results[0], {0, 1});
  expectElements(results[1], {1, 0});
  expectElements(results[2], {0, 1});
}

/// As torch.max(x, dim) and torch.min(x, dim) have it.
TEST_F(SpecialValues, FirstNanIsLargestAndSmallest) {
  auto results =
      run(R"(
func.func @f(%x: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi32>) {
  %i = graph.iota dim = 1 : tensor<4x4xi32>
  %0, %1 = graph.max_with_index %x, %i dims = [1] : (tensor<4x4xf32>, tensor<4x4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  %2, %3 = graph.min_with_index %x, %i dims = [1] : (tensor<4x4xf32>, tensor<4x4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xi32>
})",
          {Tensor::real(DType::F32, {4, 4},
                        {5, kNan, kInf, kNan, -kInf, -kInf, -kInf, -kInf, kInf,
                         kInf, 0, kInf, -0.0, 0.0, -0.0, 0.0})});
  expectElements(results[0], {kNan, -kInf, kInf, 0});
  expectElements(results[1], {1, 0, 0, 0});
  expectElements(results[2], {kNan, -kInf, 0, 0});
  expectElements(results[3], {1, 0, 2, 0});
}

TEST_F(SpecialValues, ReductionsShowNanAndInfinity) {
  auto results =
      run(R"(
func.func @f(%x: tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = graph.sum %x dims = [1] : (tensor<3x2xf32>) -> tensor<3xf32>
  %1 = graph.max %x dims = [1] : (tensor<3x2xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
})",
          {Tensor::real(DType::F32, {3, 2}, {kNan, 1, kInf, 1, -kInf, -kInf})});
  expectElements(results[0], {kNan, kInf, -kInf});
  expectElements(results[1], {kNan, kInf, -kInf});
}

// Over more rows than one block of a GPU takes.
TEST_F(SpecialValues, ColumnsShowNanAndInfinity) {
  std::vector<double> x(3000 * 4, 1);
  x[4 * 17] = kNan;
  x[4 * 2999 + 1] = kInf;
  x[4 * 5 + 2] = kInf;
  x[4 * 1234 + 2] = -kInf;
  for (size_t row = 0; row < 3000; ++row)
    x[4 * row + 3] = -kInf;
  auto results = run(R"(
func.func @f(%x: tensor<3000x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.sum %x dims = [0] : (tensor<3000x4xf32>) -> tensor<4xf32>
  %1 = graph.max %x dims = [0] : (tensor<3000x4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
})",
                     {Tensor::real(DType::F32, {3000, 4}, x)});
  expectElements(results[0], {kNan, kInf, kNan, -kInf});
  expectElements(results[1], {kNan, kInf, kInf, -kInf});
}

TEST_F(SpecialValues, SignedZerosStay) {
  auto results = run(R"(
func.func @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf16>) {
  %0 = graph.neg %x : tensor<3xf32>
  %1 = graph.mul %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = graph.cast %0 : (tensor<3xf32>) -> tensor<3xf16>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf16>
})",
                     {vector({0.0, -0.0, 0x1p-149}), vector({-1, 3, -0.25})});
  auto signs = [](const Tensor &tensor) {
    std::vector<bool> negative;
    for (double value : tensor.reals)
      negative.push_back(std::signbit(value));
    return negative;
  };
  expectElements(results[0], {0, 0, -0x1p-149});
  EXPECT_EQ(signs(results[0]), (std::vector<bool>{true, false, true}));
  expectElements(results[1], {0, 0, 0});
  EXPECT_EQ(signs(results[1]), (std::vector<bool>{true, true, true}));
  expectElements(results[2], {0, 0, 0});
  EXPECT_EQ(signs(results[2]), (std::vector<bool>{true, false, true}));
}

TEST_F(SpecialValues, SubnormalsAreNumbers) {
  auto results = run(
      R"(
func.func @f(%x: tensor<2xf32>, %h: tensor<2xf16>, %b: tensor<2xbf16>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf16>) {
  %0 = graph.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.cast %h : (tensor<2xf16>) -> tensor<2xf32>
  %2 = graph.cast %b : (tensor<2xbf16>) -> tensor<2xf32>
  %3 = graph.add %h, %h : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf16>
})",
      {vector({0x1p-149, -0x1.8p-130}),
       vector({0x1p-24, 0x1.8p-20}, DType::F16),
       vector({0x1p-133, -0x1p-130}, DType::BF16)});
  expectElements(results[0], {0x1p-148, -0x1.8p-129});
  expectElements(results[1], {0x1p-24, 0x1.8p-20});
  expectElements(results[2], {0x1p-133, -0x1p-130});
  expectElements(results[3], {0x1p-23, 0x1.8p-19});
}

// 65519 is the largest integer that rounds to a finite f16, 65520 the first
// that does not; 2^-25 is half of the smallest subnormal and a tie to even.
TEST_F(SpecialValues, CastsRoundOnceToNearestEven) {
  auto results = run(R"(
func.func @f(%x: tensor<6xf64>) -> (tensor<6xf16>, tensor<6xbf16>) {
  %0 = graph.cast %x : (tensor<6xf64>) -> tensor<6xf16>
  %1 = graph.cast %x : (tensor<6xf64>) -> tensor<6xbf16>
  return %0, %1 : tensor<6xf16>, tensor<6xbf16>
})",
                     {vector({65519, 65520, 0x1p-25, 0x1.8p-25, kNan,
                              // Just above half way between two f16: rounding
                              // to f32 first would make it a tie.
                              1 + 0x1p-11 + 0x1p-40},
                             DType::F64)});
  expectElements(results[0], {65504, kInf, 0, 0x1p-24, kNan, 1 + 0x1p-10});
  expectElements(results[1], {65536, 65536, 0x1p-25, 0x1.8p-25, kNan, 1});
}

// Beyond 2^53, where f64 does not hold the integer.
TEST_F(SpecialValues, LongIntegersRoundOnce) {
  constexpr int64_t tie = (int64_t(1) << 53) + (int64_t(1) << 45);
  auto results =
      run(R"(
func.func @f(%x: tensor<5xi64>) -> tensor<5xbf16> {
  %0 = graph.cast %x : (tensor<5xi64>) -> tensor<5xbf16>
  return %0 : tensor<5xbf16>
})",
          {Tensor::integer(DType::I64, {5},
                           {tie, tie + 1, tie - 1, -tie - 1,
                            (int64_t(1) << 61) + (int64_t(1) << 53) + 1})});
  expectElements(results[0],
                 {0x1p53, 0x1.02p53, 0x1p53, -0x1.02p53, 0x1.02p61});
}

// Though one of them computes it anew, and one widens it.
TEST_F(SpecialValues, ReadersSeeOneNumber) {
  std::vector<double> x(64);
  for (int i = 0; i < 32; ++i)
    x[i] = std::ldexp(1.0, -(i % 8));
  auto sums = run(R"(
func.func @f(%x: tensor<2x32xbf16>) -> (tensor<2x32xbf16>, tensor<32xf32>) {
  %m = graph.mean %x dims = [1] keep : (tensor<2x32xbf16>) -> tensor<2x1xbf16>
  %h = graph.sub %x, %m : (tensor<2x32xbf16>, tensor<2x1xbf16>) -> tensor<2x32xbf16>
  %s = graph.sum %h dims = [0] dtype = f32 : (tensor<2x32xbf16>) -> tensor<32xf32>
  return %h, %s : tensor<2x32xbf16>, tensor<32xf32>
})",
                  {Tensor::real(DType::BF16, {2, 32}, x)});
  std::vector<double> expected(32);
  for (int i = 0; i < 32; ++i)
    expected[i] = sums[0].value(i) + sums[0].value(32 + i);
  expectElements(sums[1], expected);

  auto squares = run(
      R"(
func.func @f(%x: tensor<32xbf16>) -> (tensor<32xbf16>, tensor<32xf32>) {
  %h = graph.mul %x, %x : (tensor<32xbf16>, tensor<32xbf16>) -> tensor<32xbf16>
  %f = graph.cast %h : (tensor<32xbf16>) -> tensor<32xf32>
  return %h, %f : tensor<32xbf16>, tensor<32xf32>
})",
      {Tensor::real(DType::BF16, {32}, std::vector<double>(32, 1 + 0x1p-6))});
  // 1.0314941 between 1.03125 and 1.0390625.
  expectElements(squares[0], std::vector<double>(32, 1.03125));
  expectElements(squares[1], std::vector<double>(32, 1.03125));
}

// 1000 times 1000.0 has an exact sum, and a mean; 1 / 1000 is rounded.
TEST_F(SpecialValues, MeansOfEqualNumbersAreExact) {
  auto results = run(
      R"(
func.func @f(%x: tensor<2x1000xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2x1000xf32>) {
  %0 = graph.mean %x dims = [1] : (tensor<2x1000xf32>) -> tensor<2xf32>
  %1 = graph.var %x dims = [1] : (tensor<2x1000xf32>) -> tensor<2xf32>
  %2 = graph.layer_norm %x first_dim = 1 epsilon = 1e-05 : (tensor<2x1000xf32>) -> tensor<2x1000xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2x1000xf32>
})",
      {Tensor::real(DType::F32, {2, 1000}, std::vector<double>(2000, 1000))});
  expectElements(results[0], {1000, 1000});
  expectElements(results[1], {0, 0});
  expectElements(results[2], std::vector<double>(2000, 0));
}

// 0.1 is not a float: a running f32 sum of 8192 of them is off by thousands of
// units in the last place.
TEST_F(SpecialValues, LongSumsLoseFewDigits) {
  auto results = run(
      R"(
func.func @f(%x: tensor<8192x2xf32>, %y: tensor<2x8192xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = graph.sum %x dims = [0] : (tensor<8192x2xf32>) -> tensor<2xf32>
  %1 = graph.sum %y dims = [1] : (tensor<2x8192xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
})",
      {Tensor::real(DType::F32, {8192, 2}, std::vector<double>(16384, 0.1f)),
       Tensor::real(DType::F32, {2, 8192}, std::vector<double>(16384, 0.1f))});
  for (const Tensor &sum : results)
    for (double value : sum.reals)
      EXPECT_NEAR(value, 8192 * double(0.1f), 64 * 0x1p-23 * 819.2);
}
