// The n-th call fails, for every n; the n-th piece of work fails.
#include "SmallProgram.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;

/// A short life; the first failure.
static Status live(OnFake &made) {
  if (Status status = made.open(); !status.ok())
    return status;
  if (Status status = made.initialize(); !status.ok())
    return status;
  for (float x : {1.f, 2.f, 3.f})
    if (Status status = made.step(x); !status.ok())
      return status;
  if (Result<float> loss = made.loss(1); !loss)
    return loss.status();
  if (auto table = made.executor->output(kStep, kTable); !table)
    return table.status();
  return made.executor->synchronize();
}

/// After `failure` nothing works but destruction, and nothing is left.
static void expectUnusable(OnFake &made, const Status &failure) {
  if (made.executor) {
    Status again = made.step(1);
    EXPECT_FALSE(again.ok());
    EXPECT_EQ(again.code(), failure.code());
    EXPECT_EQ(again.message(),
              "the session can only be destroyed, since it failed: " +
                  failure.message());
    EXPECT_FALSE(made.loss(0));
    EXPECT_FALSE(made.weight());
    EXPECT_FALSE(made.executor->output(kStep, kTable));
    EXPECT_FALSE(made.executor->synchronize().ok());
  }
  made.executor.reset();
  EXPECT_EQ(made.cuda.alive(), "");
  EXPECT_EQ(made.cuda.broken, std::vector<std::string>());
}

static void failEveryCall(bool nvtx, uint32_t inputElements = 4) {
  uint64_t calls = 0;
  for (uint64_t n = 0;; ++n) {
    OnFake made(makeSmallProgram(inputElements));
    made.inputElements = inputElements;
    made.options.nvtx = nvtx;
    made.cuda.failingCall = n;
    Status status = live(made);
    if (n == 0) {
      ASSERT_TRUE(status.ok()) << status.message();
      calls = made.cuda.calls;
      continue;
    }
    if (n > calls)
      break;
    SCOPED_TRACE("call " + std::to_string(n) + " of " + std::to_string(calls) +
                 ": " + made.cuda.log[n - 1]);
    // The graph is destroyed once it is instantiated; should that fail, only
    // the device knows.
    if (made.cuda.log[n - 1] == "cudaGraphDestroy FAILS") {
      EXPECT_TRUE(status.ok());
      continue;
    }
    EXPECT_EQ(status.code(), StatusCode::DeviceFailed) << status.message();
    EXPECT_NE(status.message().find("cudaErrorUnknown (999)"),
              std::string::npos)
        << status.message();
    expectUnusable(made, status);
  }
  EXPECT_GT(calls, 40u);
}

TEST(CudaFailure, EveryCall) { failEveryCall(false); }
TEST(CudaFailure, EveryCallWithRanges) { failEveryCall(true); }
TEST(CudaFailure, EveryCallWithLargeInputs) {
  failEveryCall(false, kLargeInput);
}

TEST(CudaFailure, ReleaseFails) {
  OnFake made;
  ASSERT_TRUE(live(made).ok());
  made.cuda.failingCall = made.cuda.calls + 4; // while it is destroyed
  made.executor.reset();
  EXPECT_EQ(made.cuda.alive(), "");
}

TEST(CudaFailure, EveryPieceOfWork) {
  uint64_t work = 0;
  for (uint64_t n = 0;; ++n) {
    OnFake made;
    made.cuda.failingWork = n;
    made.cuda.failure = cudaErrorIllegalAddress;
    Status status = live(made);
    if (n == 0) {
      ASSERT_TRUE(status.ok()) << status.message();
      work = made.cuda.work;
      continue;
    }
    if (n > work)
      break;
    SCOPED_TRACE("work " + std::to_string(n) + " of " + std::to_string(work));
    EXPECT_EQ(status.code(), StatusCode::DeviceFailed);
    EXPECT_NE(status.message().find("cudaErrorIllegalAddress (700)"),
              std::string::npos)
        << status.message();
    expectUnusable(made, status);
  }
  EXPECT_GT(work, 15u);
}

TEST(CudaFailure, RecordsAreNamed) {
  size_t call = 0;
  {
    OnFake made;
    ASSERT_TRUE(made.open().ok());
    while (made.cuda.log[call].find("update_0 4x128") == std::string::npos)
      ++call;
  }
  OnFake failing;
  failing.cuda.failingCall = call + 1;
  EXPECT_EQ(failing.open().message(),
            "entry 'step', record 1 (the update): cudaGraphAddKernelNode: "
            "cudaErrorUnknown (999), unknown error");
}
