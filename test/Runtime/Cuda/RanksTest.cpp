// Products, collectives and multi-tensor kernels in one graph.
#include "RanksProgram.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using Lines = std::vector<std::string>;

static Status live(RanksOnFake &made) {
  if (Status status = made.open(); !status.ok())
    return status;
  if (Status status = made.initialize(); !status.ok())
    return status;
  for (int i = 0; i < 2; ++i)
    if (Status status = made.step(); !status.ok())
      return status;
  return made.executor->synchronize();
}

TEST(CudaRanks, Graph) {
  RanksOnFake made;
  Status status = made.open();
  ASSERT_TRUE(status.ok()) << status.message();
  // The sum over the ranks runs beside the kernel behind it; the block holds
  // 512 of state, then y, g and the loss, then the input.
  EXPECT_EQ(made.cuda.nodes(0),
            (Lines{"multiply first",
                   "launch difference_0 4x128 shared 0 device+512 device+1280 "
                   "device+768 after 0",
                   "all-reduce after 1 priority -5",
                   "launch sum_0 4x128 shared 0 device+512 device+1024 after 1",
                   "launch sgd 1x256 shared 0 after 2 3"}));
  made.executor.reset();
  EXPECT_EQ(made.cuda.alive(), "");
  EXPECT_EQ(made.blas.live, 0);
  EXPECT_EQ(made.nccl.live, 0);
  EXPECT_EQ(made.cuda.broken, Lines());
}

TEST(CudaRanks, Values) {
  for (bool eager : {false, true}) {
    RanksOnFake made;
    made.cuda.eager = eager;
    Status status = live(made);
    ASSERT_TRUE(status.ok()) << status.message();
    // Of w = c I: y = c I, g = (c - 1) I, w = (c - 0.5 * 2 (c - 1)) I = I.
    EXPECT_EQ(*made.loss(0), 4.f);
    EXPECT_EQ(*made.loss(1), 8.f);
    EXPECT_EQ(*made.weight(), 1.f);
  }
}

TEST(CudaRanks, OneRankCopies) {
  RanksOnFake made;
  made.options.ranks = {};
  Status status = live(made);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(made.nccl.calls(), Lines());
  // w = (c - 0.5 (c - 1)) I: 2, 1.5, 1.25.
  EXPECT_EQ(*made.weight(), 1.25f);
  EXPECT_EQ(made.cuda.nodes(0).size(), 4u) << "in place: nothing to copy";
}

TEST(CudaRanks, ProductsUseAWorkspaceOfTheirOwn) {
  RanksOnFake made;
  ASSERT_TRUE(made.open().ok());
  // 4 MiB for compute capability 8.0, after the rest.
  EXPECT_GT(made.executor->memory().planned.workspace, uint64_t(4) << 20);
}

TEST(CudaRanks, PlansAreExported) {
  RanksOnFake made;
  ASSERT_TRUE(made.open().ok());
  auto plans = made.executor->exportPlans();
  ASSERT_TRUE(plans);
  made.executor.reset();
  int asked = made.blas.heuristics;
  made.options.plans = *plans;
  ASSERT_TRUE(made.open().ok());
  EXPECT_EQ(made.blas.heuristics, asked);
}

/// Fails call after call of one of the three libraries until all went through.
template <typename Arm>
static uint64_t failEach(StatusCode expected, const Arm &arm) {
  for (uint64_t n = 1; n < 2000; ++n) {
    RanksOnFake made;
    std::shared_ptr<bool> hit = arm(made, n);
    Status status = live(made);
    SCOPED_TRACE("call " + std::to_string(n));
    if (!*hit) {
      EXPECT_TRUE(status.ok()) << status.message();
      return n - 1;
    }
    if (!status.ok()) {
      EXPECT_EQ(status.code(), expected) << status.message();
      if (made.executor) {
        EXPECT_FALSE(made.step().ok());
        EXPECT_FALSE(made.loss(0));
      }
    }
    made.executor.reset();
    EXPECT_EQ(made.cuda.alive(), "");
    EXPECT_EQ(made.blas.live, 0);
    EXPECT_EQ(made.nccl.live, 0);
    EXPECT_EQ(made.cuda.broken, Lines());
  }
  return 0;
}

TEST(CudaRanks, EveryCallOfCublasLtFails) {
  auto arm = [](RanksOnFake &made, uint64_t n) {
    auto hit = std::make_shared<bool>(false);
    auto count = std::make_shared<uint64_t>(0);
    made.blas.interfere = [=](const char *) {
      if (++*count != n)
        return CUBLAS_STATUS_SUCCESS;
      *hit = true;
      return CUBLAS_STATUS_INTERNAL_ERROR;
    };
    return hit;
  };
  EXPECT_GT(failEach(StatusCode::LibraryError, arm), 8u);
}

TEST(CudaRanks, EveryCallOfNcclFails) {
  auto arm = [](RanksOnFake &made, uint64_t n) {
    auto hit = std::make_shared<bool>(false);
    auto count = std::make_shared<std::atomic<uint64_t>>(0);
    made.nccl.interfere = [=](const char *) {
      if (++*count != n)
        return ncclSuccess;
      *hit = true;
      return ncclInternalError;
    };
    return hit;
  };
  EXPECT_GT(failEach(StatusCode::CollectiveFailed, arm), 4u);
}

TEST(CudaRanks, EveryCallOfCudaFails) {
  auto arm = [](RanksOnFake &made, uint64_t n) {
    made.cuda.failingCall = n;
    auto hit = std::make_shared<bool>(false);
    made.cuda.onFailure = [=] { *hit = true; };
    return hit;
  };
  EXPECT_GT(failEach(StatusCode::DeviceFailed, arm), 60u);
}

TEST(CudaRanks, APeerIsLost) {
  RanksOnFake made;
  ASSERT_TRUE(live(made).ok());
  made.nccl.asyncError = ncclRemoteError;
  Status status;
  for (int i = 0; i < 10000 && status.ok(); ++i) {
    status = made.step();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(status.code(), StatusCode::CollectiveFailed) << status.message();
  Status again = made.step();
  EXPECT_EQ(again.code(), StatusCode::CollectiveFailed);
  EXPECT_TRUE(again.message().starts_with("the session can only be destroyed"));
  made.executor.reset();
  EXPECT_EQ(made.cuda.alive(), "");
  EXPECT_EQ(made.nccl.live, 0);
}
