// The error of sums grows with the logarithm of their length: a number goes
// through at most getSumDepth() additions, each of which rounds by half a unit,
// 2^-24 of what it adds up.
#include "TestedModules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace mpc;
using namespace mpc::test;
using reference::Tensor;

namespace {
/// 0.1, whose running sum is off in one direction, or numbers of both signs.
std::vector<double> makeNumbers(int64_t count, bool isRandom) {
  std::vector<double> numbers(count, 0.1f);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> range(-0.5, 1);
  if (isRandom)
    for (double &number : numbers)
      number = range(random);
  return numbers;
}

/// An f32 tensor of dims 0, 1, ... of which some are summed.
struct SumCase {
  std::vector<int64_t> shape;
  std::vector<bool> reduced;

  std::string type(bool onlyKept) const {
    std::string text = "tensor<";
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (!onlyKept || !reduced[dim])
        text += std::to_string(shape[dim]) + "x";
    return text + "f32>";
  }
  std::string function() const {
    std::string dims;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (reduced[dim])
        dims += (dims.empty() ? "" : ", ") + std::to_string(dim);
    std::string x = type(false), y = type(true);
    return "func.func @f(%x: " + x + ") -> " + y +
           " {\n  %0 = graph.sum %x dims = [" + dims + "] : (" + x + ") -> " +
           y + "\n  return %0 : " + y + "\n}";
  }
  /// Calls `add` with the number of each element and of its sum.
  template <typename Add> void forEach(int64_t count, Add add) const {
    for (int64_t element = 0; element < count; ++element) {
      int64_t rest = element, sum = 0, width = 1;
      for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
        if (!reduced[dim]) {
          sum += rest % shape[dim] * width;
          width *= shape[dim];
        }
      add(element, sum);
    }
  }
};

void checkSums(const SumCase &sums) {
  auto module = compileForTest(sums.function(), getSmallTarget());
  ASSERT_TRUE(module->isValid());
  int64_t count = 1;
  for (int64_t size : sums.shape)
    count *= size;
  for (bool isRandom : {false, true}) {
    auto numbers = makeNumbers(count, isRandom);
    auto results =
        module->run("f", {Tensor::real(DType::F32, sums.shape, numbers)}, {});
    ASSERT_EQ(results.size(), 1u);
    std::vector<double> exact(results[0].size()), total(results[0].size());
    sums.forEach(count, [&](int64_t element, int64_t sum) {
      exact[sum] += numbers[element];
      total[sum] += std::fabs(numbers[element]);
    });
    double depth = getSumDepth(count / int64_t(exact.size()));
    for (size_t i = 0; i < exact.size(); ++i)
      ASSERT_LE(std::fabs(results[0].value(i) - exact[i]),
                depth * 0x1p-24 * total[i])
          << sums.function() << (isRandom ? " random" : " of 0.1");
  }
}
} // namespace

TEST(LongSums, OfRows) {
  checkSums({{1 << 20}, {true}});
  checkSums({{2, (1 << 18) + 37}, {false, true}});
}

TEST(LongSums, OfColumns) {
  checkSums({{1 << 20, 3}, {true, false}});
  checkSums({{5000, 70}, {true, false}});
}

TEST(LongSums, OfSeveralDims) {
  checkSums({{1 << 12, 3, 1 << 7}, {true, false, true}});
  checkSums({{20000, 3, 17}, {true, false, true}});
  checkSums({{1 << 9, 2, 1 << 9, 3}, {true, false, true, false}});
  checkSums({{300, 17, 92}, {true, true, true}}); // of all in one
}

// The largest element is 0, all others add 0.1: 1 / sum is its share.
TEST(LongSums, BehindAMaximum) {
  constexpr int64_t size = 2500004;
  auto module = compileForTest(R"(
func.func @f(%x: tensor<1x2500004xf32>) -> tensor<1x2500004xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<1x2500004xf32>) -> tensor<1x2500004xf32>
  return %0 : tensor<1x2500004xf32>
})",
                               getSmallTarget());
  ASSERT_TRUE(module->isValid());
  float power = std::log(0.1f);
  std::vector<double> x(size, power);
  x[size / 3] = 0;
  auto results = module->run("f", {Tensor::real(DType::F32, {1, size}, x)}, {});
  ASSERT_EQ(results.size(), 1u);
  double exact = 1 / (1 + double(size - 1) * std::exp(double(power)));
  // Beside the additions round the exponential (2 ulp) and the division.
  EXPECT_NEAR(results[0].value(size / 3), exact,
              (getSumDepth(size) + 8) * 0x1p-24 * exact);
}
