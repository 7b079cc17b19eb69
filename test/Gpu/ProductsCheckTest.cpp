// products-check on a device of host memory, where all products are right and
// all algorithms are there, and on one where they are not.
#include "ProductsCheck.h"
#include "FakeMachine.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mpc;
using namespace mpc::test;

using ProductsCheckTest = FakeMachine;

TEST_F(ProductsCheckTest, allRight) {
  auto report = checkProducts(platform);
  ASSERT_TRUE(report) << report.status().message();
  EXPECT_EQ(report->wrong, std::vector<std::string>());
  EXPECT_EQ(report->rows.size(), 6u * 13u);
  for (const ProductRow &row : report->rows)
    EXPECT_EQ(row.refused, "") << row.types << ", " << row.asked;
  std::string first = writeRows(*report);
  EXPECT_EQ(first.find("{\"product\":\"f64 -> f64\",\"with\":\"nothing\","
                       "\"transposed\":\"none lhs rhs both\",\"no "
                       "algorithm\":\"\",\"largest error\":"),
            0u);
  EXPECT_EQ(cuda.alive(), "");
  EXPECT_EQ(cuda.broken, std::vector<std::string>());
}

TEST_F(ProductsCheckTest, missingAlgorithmsAreListed) {
  blas.proposals = 0;
  auto report = checkProducts(platform);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->rows[0].made, "");
  EXPECT_EQ(report->rows[0].refused, "none lhs rhs both");
  EXPECT_EQ(report->wrong.size(), 6u * 3u); // with nothing, and with an addend
  EXPECT_EQ(report->wrong[0],
            "f64 -> f64, nothing: expected an algorithm, but there is none");
}

TEST_F(ProductsCheckTest, missingEpiloguesAreListed) {
  blas.lacking = {CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_DGELU};
  auto report = checkProducts(platform);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->wrong, std::vector<std::string>());
  for (const ProductRow &row : report->rows) {
    bool lacks = row.asked == "bias, gelu_tanh" ||
                 row.asked == "bias, addend, gelu_tanh" ||
                 row.asked == "derivative of gelu_tanh";
    EXPECT_EQ(row.refused.empty(), !lacks) << row.asked;
    EXPECT_EQ(row.made.empty(), lacks) << row.asked;
  }
}

TEST_F(ProductsCheckTest, wrongResultsAreFound) {
  blas.submit = [](cudaStream_t, const std::function<void()> &) {};
  auto report = checkProducts(platform);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->wrong.size(), 6u * 13u);
}

// A maximum of many processors takes 0 where the other operand is NaN.
TEST_F(ProductsCheckTest, lostNaNsAreFound) {
  blas.onResult = [](void *result) {
    float first = 0;
    std::memcpy(&first, result, sizeof first);
    if (std::isnan(first))
      std::memset(result, 0, sizeof first);
  };
  auto report = checkProducts(platform);
  ASSERT_TRUE(report);
  EXPECT_EQ(std::ranges::count(report->wrong,
                               "f32 -> f32, gelu_tanh: NaN does not stay NaN"),
            1);
  for (const std::string &wrong : report->wrong)
    EXPECT_TRUE(wrong.ends_with(": NaN does not stay NaN")) << wrong;
}

TEST_F(ProductsCheckTest, noDeviceIsAStatus) {
  cuda.devices = 0;
  EXPECT_EQ(checkProducts(platform).status().code(),
            StatusCode::DeviceUnsupported);
}
