// Speeds of products on a device of host memory, where all that is timed takes
// 10 microseconds.
#include "ProductSpeed.h"
#include "FakeMachine.h"

using namespace mpc;
using namespace mpc::test;
using Lines = std::vector<std::string>;

namespace {
struct ProductSpeedTest : FakeMachine {
  SpeedOptions small = {.tokens = 16,
                        .width = 8,
                        .classes = 32,
                        .peak = 16,
                        .tuning = 1,
                        .seconds = 0};
};
} // namespace

TEST_F(ProductSpeedTest, stepOfGpt) {
  auto rows = measureStepProducts(platform, small);
  ASSERT_TRUE(rows) << rows.status().message();
  ASSERT_EQ(rows->size(), 15u);
  for (const ProductSpeed &row : *rows) {
    EXPECT_TRUE(row.fused) << row.asked;
    EXPECT_TRUE(row.repeats) << row.asked;
  }
  const ProductSpeed &qkv = (*rows)[0];
  EXPECT_EQ(qkv.asked, "16x8xbf16 * 8x24xbf16 -> 16x24xbf16, with bias");
  // 2 * 16 * 8 * 24 operations in 10 us.
  for (double rate : {qkv.first, qkv.best, qkv.plain})
    EXPECT_NEAR(rate, 6144 / 10e-6 * 1e-12, 1e-8);
  EXPECT_EQ((*rows)[2].asked,
            "16x8xbf16 (transposed) * 16x24xbf16 -> 8x24xbf16");
  EXPECT_EQ((*rows)[6].asked, "16x8xbf16 * 8x32xbf16 -> 16x32xbf16, "
                              "gelu_tanh, with bias, with auxiliary matrix");
  EXPECT_EQ((*rows)[10].product, "down, gradient of its input");
  EXPECT_EQ((*rows)[10].asked,
            "16x8xbf16 * 32x8xbf16 (transposed) -> 16x32xbf16, derivative of "
            "gelu_tanh, with auxiliary matrix");
  EXPECT_EQ((*rows)[12].asked,
            "16x8xbf16 * 32x8xbf16 (transposed) -> 16x32xbf16");
  EXPECT_EQ(writeRows({qkv}).find("{\"product\":\"qkv\",\"asked\":"), 0u);
  EXPECT_EQ(cuda.alive(), "");
  EXPECT_EQ(cuda.broken, Lines());
}

// What runs first meets a cool device: the first proposal, the fastest and the
// plain product are chosen before any of them is timed, and then take turns.
TEST_F(ProductSpeedTest, nothingIsTimedBeforeAllIsChosen) {
  std::string calls;
  blas.interfere = [&](const char *function) {
    std::string name = function;
    if (name == "cublasLtMatmulAlgoGetHeuristic")
      calls += 'c';
    if (name == "cublasLtMatmul")
      calls += 'm';
    return CUBLAS_STATUS_SUCCESS;
  };
  small.tuning = 0;
  ASSERT_TRUE(measureStepProducts(platform, small));
  EXPECT_EQ(calls.find("cmcmcmmmm"), 0u) << calls.substr(0, 40);
}

TEST_F(ProductSpeedTest, whatHasNoAlgorithmIsMeasuredPlain) {
  blas.lacking = {CUBLASLT_EPILOGUE_DGELU};
  auto rows = measureStepProducts(platform, small);
  ASSERT_TRUE(rows) << rows.status().message();
  for (const ProductSpeed &row : *rows)
    EXPECT_EQ(row.fused, row.asked.find("derivative") == std::string::npos);
}

/// What comes out otherwise the next time.
TEST_F(ProductSpeedTest, otherBytesAreFound) {
  uint8_t noise = 0;
  blas.onResult = [&](void *result) {
    static_cast<uint8_t *>(result)[0] = ++noise;
  };
  auto rows = measureStepProducts(platform, small);
  ASSERT_TRUE(rows) << rows.status().message();
  for (const ProductSpeed &row : *rows)
    EXPECT_FALSE(row.repeats) << row.asked;
}

TEST_F(ProductSpeedTest, probeTellsWhatThereIs) {
  auto lines = probe(platform, small);
  ASSERT_TRUE(lines) << lines.status().message();
  ASSERT_EQ(lines->size(), 6u);
  EXPECT_EQ((*lines)[0], "{\"device\":\"Fake\",\"compute capability\":\"8.0\","
                         "\"multiprocessors\":4,\"driver for CUDA\":13000}");
  EXPECT_EQ((*lines)[1].find(
                "{\"library\":\"cuBLASLt\",\"version\":\"130100\",\"file\":\""),
            0u);
  EXPECT_EQ((*lines)[2].find(
                "{\"library\":\"NCCL\",\"version\":\"22809\",\"file\":\""),
            0u);
  EXPECT_EQ((*lines)[5].find("{\"measure\":\"product of 16^3 in bf16, "
                             "TFLOP/s\",\"value\":"),
            0u);
  hasNccl = false;
  lines = probe(platform, small);
  ASSERT_TRUE(lines);
  EXPECT_EQ((*lines)[2], "{\"library\":\"NCCL\",\"missing\":\"no NCCL\"}");
}

TEST_F(ProductSpeedTest, probeFailsWithoutDeviceOrProducts) {
  hasBlas = false;
  EXPECT_EQ(probe(platform, small).status().message(), "no cuBLASLt");
  cuda.devices = 0;
  EXPECT_EQ(probe(platform, small).status().code(),
            StatusCode::DeviceUnsupported);
}
