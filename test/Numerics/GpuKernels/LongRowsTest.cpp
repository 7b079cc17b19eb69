// Rows that are too long for the registers of a block: read again by each
// sweep, folded online, or shared out among blocks.
#include "GpuKernelModule.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace mpc;
using namespace mpc::test;
using reference::Tensor;

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<Tensor> run(const std::string &text, const Tensor &input) {
  GpuKernelModule module(text, "sm_90");
  EXPECT_TRUE(module.isValid());
  if (!module.isValid())
    return {};
  auto results = module.run("f", {input}, {});
  EXPECT_EQ(module.getFailure(), "");
  // Other blocks first, and the result where the operand was.
  auto again = module.run("f", {input}, {.inPlace = true, .seed = 5});
  EXPECT_EQ(module.getFailure(), "");
  for (auto [one, other] : llvm::zip_equal(results, again))
    for (size_t i = 0; i < one.size(); ++i)
      if (std::bit_cast<uint64_t>(one.value(i)) !=
              std::bit_cast<uint64_t>(other.value(i)) &&
          !std::isnan(one.value(i))) {
        ADD_FAILURE() << "element " << i << " differs in place";
        return results;
      }
  return results;
}

/// exp(x - max) / sum of the same over the row, as the definition says.
std::vector<double> getSoftmax(const std::vector<double> &row) {
  double largest = -kInf, sum = 0;
  for (double x : row)
    largest = std::isnan(x) || x > largest ? x : largest;
  std::vector<double> powers;
  for (double x : row)
    sum += powers.emplace_back(std::exp(x - largest));
  for (double &power : powers)
    power /= sum;
  return powers;
}

void expectRow(const Tensor &actual, int64_t row,
               const std::vector<double> &expected, double tolerance) {
  int64_t size = int64_t(expected.size()), wrong = 0;
  for (int64_t i = 0; i < size; ++i) {
    double x = actual.value(row * size + i), y = expected[i];
    bool isRight = std::isnan(y) ? std::isnan(x)
                                 : std::abs(x - y) <= tolerance * y + 1e-37;
    wrong += !isRight;
  }
  EXPECT_EQ(wrong, 0) << "row " << row;
}

std::vector<double> makeRow(int64_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> range(-8, 8);
  std::vector<double> row;
  for (int64_t i = 0; i < size; ++i)
    row.push_back(range(random));
  return row;
}
} // namespace

TEST(LongRows, foldSumsOnline) {
  constexpr int64_t size = 40004; // 4 rounds of 1024 threads, and 15 chunks
  std::vector<std::vector<double>> rows;
  for (int row = 0; row < 7; ++row)
    rows.push_back(makeRow(size, row));
  // The largest element comes last, first; -inf before anything else and alone.
  rows[1].back() = 80;
  rows[2].front() = 80;
  for (int64_t i = 0; i < size - 2; ++i)
    rows[3][i] = -kInf;
  for (double &x : rows[4])
    x = -kInf;
  rows[5][12345] = kInf;
  rows[6][23456] = kNan;
  std::vector<double> all;
  for (auto &row : rows)
    all.insert(all.end(), row.begin(), row.end());
  auto results = run(R"(
func.func @f(%x: tensor<7x40004xf32>) -> tensor<7x40004xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<7x40004xf32>) -> tensor<7x40004xf32>
  return %0 : tensor<7x40004xf32>
})",
                     Tensor::real(DType::F32, {7, size}, all));
  ASSERT_EQ(results.size(), 1u);
  for (size_t row = 0; row < rows.size(); ++row)
    expectRow(results[0], row, getSoftmax(rows[row]), 4e-6);
}

// Integers, so that sums are exact in any order.
static std::vector<double> makeIntegers(int64_t size) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < size; ++i)
    numbers.push_back(double((i * 7919) % 13) - 6);
  return numbers;
}

TEST(LongRows, areSharedOutAmongBlocks) {
  constexpr int64_t size = 200004;
  auto numbers = makeIntegers(3 * size);
  auto results = run(R"(
func.func @f(%x: tensor<3x200004xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3x200004xf32>) {
  %0 = graph.sum %x dims = [1] : (tensor<3x200004xf32>) -> tensor<3xf32>
  %1 = graph.neg %x : tensor<3x200004xf32>
  %2 = graph.max %1 dims = [1] : (tensor<3x200004xf32>) -> tensor<3xf32>
  return %0, %2, %1 : tensor<3xf32>, tensor<3xf32>, tensor<3x200004xf32>
})",
                     Tensor::real(DType::F32, {3, size}, numbers));
  ASSERT_EQ(results.size(), 3u);
  for (int64_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < size; ++i) {
      sum += numbers[row * size + i];
      ASSERT_EQ(results[2].value(row * size + i), -numbers[row * size + i]);
    }
    EXPECT_EQ(results[0].value(row), sum);
    EXPECT_EQ(results[1].value(row), 6);
  }
}

TEST(LongRows, mayBeWholeTensorsOfOddSize) {
  constexpr int64_t size = 70001;
  auto numbers = makeIntegers(size);
  double sum = 0;
  for (double x : numbers)
    sum += x * x;
  auto results = run(R"(
func.func @f(%x: tensor<70001xf32>) -> tensor<f32> {
  %0 = graph.mul %x, %x : (tensor<70001xf32>, tensor<70001xf32>) -> tensor<70001xf32>
  %1 = graph.sum %0 dims = [0] : (tensor<70001xf32>) -> tensor<f32>
  return %1 : tensor<f32>
})",
                     Tensor::real(DType::F32, {size}, numbers));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].value(0), sum);
}
