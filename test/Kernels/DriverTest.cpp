// The driver of kernels/ on a device made of host code, where a kernel or a
// copy takes a millisecond.
#include "kernels/driver/AttentionCases.h"
#include "kernels/driver/Bench.h"
#include "kernels/driver/Problem.h"
#include <gtest/gtest.h>
#include <iostream>
#include <sstream>

using namespace mpc;
using namespace mpc::kernels;

namespace {
TimedList makeList(CudaDevice &device) {
  BenchOptions options;
  options.lists = {{"small", {100, 3, 5000}}};
  options.attention = {{1, 64, 1, 64}};
  options.copyBytes = 1 << 20;
  options.repeats = 1;
  Result<TimedList> list = makeBenchmarks(device, options);
  EXPECT_TRUE(list) << list.status().message();
  return list ? std::move(*list) : TimedList();
}
} // namespace

TEST(Driver, checksOnTheDevice) {
  Result<CudaDevice> device = CudaDevice::open();
  ASSERT_TRUE(device) << device.status().message();
  EXPECT_EQ(device->name(), "made-up card");
  std::vector<Case> cases = makeCases();
  for (size_t i = 0; i < cases.size(); i += 7)
    EXPECT_EQ(check(*device, cases[i]), "") << cases[i].name;
  for (const AttentionCase &which : makeAttentionCases(3, 20))
    EXPECT_EQ(check(*device, which), "") << describe(which);
}

TEST(Driver, timesInTurnsWithACopy) {
  Result<CudaDevice> device = CudaDevice::open();
  ASSERT_TRUE(device) << device.status().message();
  TimedList list = makeList(*device);
  ASSERT_EQ(list.size(), 1u + 3 * 5 + 3 * 2);
  testing::internal::CaptureStdout();
  Status status =
      timeInTurns(list, {.rounds = 3, .seconds = 0.001, .json = true});
  std::string out = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(status.ok()) << status.message();
  // 2 MiB in a millisecond; 5103 bf16 gradients; two kernels, 30 bytes each.
  EXPECT_NE(out.find(R"({"name": "copy", "us": 1000.000, "iqr us": 0.000, )"
                     R"("GB/s": 2.1, "of copy": 1.000})"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find(R"({"name": "norm bf16 small", "us": 1000.000, "iqr us": )"
                     R"(0.000, "GB/s": 0.0, "of copy": 0.005})"),
            std::string::npos)
      << out;
  // Three kernels; five products of 64 x 64 x 64 multiplications, of which half
  // count.
  EXPECT_NE(out.find(R"({"name": "attention-backward bf16 T64 d64", )"
                     R"("us": 3000.000, "iqr us": 0.000, "TFLOP/s": 0.000})"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find(R"({"name": "norm+adamw f16 small", "us": 2000.000, )"
                     R"("iqr us": 0.000, "GB/s": 0.1, "of copy": 0.036})"),
            std::string::npos)
      << out;
}

TEST(Driver, answersLines) {
  Result<CudaDevice> device = CudaDevice::open();
  ASSERT_TRUE(device) << device.status().message();
  TimedList list = makeList(*device);
  list.resize(2);
  std::istringstream in(
      "list\nrun norm bf16 small 0.01\nrun nothing 1\nhello\n");
  std::ostringstream out;
  serve(list, in, out);
  EXPECT_EQ(out.str(), R"({"names": ["copy", "norm bf16 small"]}
{"seconds": 0.001, "bytes": 10206}
{"error": "there is no benchmark 'nothing'"}
{"error": "expected 'list' or 'run NAME SECONDS'"}
)");
}
