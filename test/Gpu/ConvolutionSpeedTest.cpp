// Speeds of convolutions on a device of host memory, where all that is timed
// takes 10 microseconds.
#include "ConvolutionSpeed.h"
#include "FakeMachine.h"

using namespace mpc;
using namespace mpc::test;

namespace {
struct ConvolutionSpeedTest : FakeMachine {
  /// Sums of so many products are nothing for plain loops.
  ConvolutionSpeedTest() {
    cudnn.replace = [](const std::map<int64_t, void *> &) {};
  }
};
} // namespace

TEST_F(ConvolutionSpeedTest, ofResNet50) {
  auto rows = measureConvolutions(platform, 1, 0);
  ASSERT_TRUE(rows) << rows.status().message();
  ASSERT_EQ(rows->size(), 24u);
  EXPECT_EQ((*rows)[0].convolution, "3 x 224^2 to 64 by 7^2, stride 2");
  EXPECT_EQ((*rows)[4].convolution,
            "64 x 56^2 to 64 by 3^2, stride 1, gradient of its input");
  // 2 * 64 * 56^2 * 64 * 3^2 operations in 10 us.
  EXPECT_NEAR((*rows)[3].rate, 231211008 / 10e-6 * 1e-12, 1e-3);
  for (const ConvolutionSpeed &row : *rows)
    EXPECT_TRUE(row.repeats) << row.convolution;
  EXPECT_EQ(writeRows({(*rows)[0]})
                .find("{\"convolution\":\"3 x 224^2 to 64 by 7^2, stride 2\","
                      "\"TFLOP/s\":"),
            0u);
  EXPECT_EQ(cuda.alive(), "");
  EXPECT_EQ(cuda.broken, std::vector<std::string>());
}

TEST_F(ConvolutionSpeedTest, otherBytesAreFound) {
  uint8_t noise = 0;
  cudnn.replace = [&](const std::map<int64_t, void *> &places) {
    for (auto [tensor, address] : places)
      static_cast<uint8_t *>(address)[0] = ++noise;
  };
  auto rows = measureConvolutions(platform, 1, 0);
  ASSERT_TRUE(rows) << rows.status().message();
  for (const ConvolutionSpeed &row : *rows)
    EXPECT_FALSE(row.repeats) << row.convolution;
}

TEST_F(ConvolutionSpeedTest, missingLibrariesAreAStatus) {
  hasCudnn = false;
  auto rows = measureConvolutions(platform, 1, 0);
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.status().code(), StatusCode::DeviceUnsupported);
  EXPECT_EQ(rows.status().message(), "no cuDNN");
  cuda.devices = 0;
  EXPECT_EQ(measureConvolutions(platform, 1, 0).status().code(),
            StatusCode::DeviceUnsupported);
}
