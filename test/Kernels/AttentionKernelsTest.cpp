// Every kernel of attention against the definition in f64, run thread by thread
// on the CPU.
#include "Kernels/EmulatedKernels.h"
#include "kernels/driver/AttentionCases.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::kernels;
using namespace mpc::test;

TEST(AttentionKernels, areAttention) {
  EmulatedDevice device(/*multiprocessors=*/1, /*seed=*/1);
  for (const AttentionCase &which : makeAttentionCases(72, 140))
    EXPECT_EQ(check(device, which), "") << describe(which);
}

TEST(AttentionKernels, areAttentionInOtherOrders) {
  for (uint64_t seed : {0, 2, 3}) {
    EmulatedDevice device(1, seed);
    for (const AttentionCase &which : makeAttentionCases(36, 90))
      if (which.seed % 3 == seed % 3) {
        EXPECT_EQ(check(device, which), "") << describe(which);
      }
  }
}

/// Of one warp alone a barrier would not be missed: all have rows here, and
/// tiles that follow one another.
static bool passes(bool causal) {
  EmulatedDevice device(1, 1);
  AttentionCase which;
  which.type = DType::BF16;
  which.queries = which.keys = 190;
  which.width = which.valueWidth = 64;
  which.causal = causal;
  which.dropout = 0.25;
  return check(device, which).empty();
}

TEST(AttentionKernels, aRemovedBarrierShows) {
  (void)takeBarriers();
  EXPECT_TRUE(passes(false) && passes(true));
  std::vector<Barrier> barriers = takeBarriers();
  EXPECT_EQ(barriers.size(), 6u);
  for (const Barrier &barrier : barriers) {
    removeBarrier(barrier);
    bool shows = !passes(false) || !passes(true);
    removeBarrier(std::nullopt);
    EXPECT_TRUE(shows) << barrier.file << ":" << barrier.line;
  }
}

TEST(AttentionKernels, refuseWhatNoKernelHas) {
  AttentionProblem problem;
  problem.batch = problem.heads = problem.keyHeads = 1;
  problem.queries = problem.keys = 1;
  problem.width = problem.valueWidth = 129;
  EXPECT_EQ(planForward(problem).status().message(),
            "expected rows of at most 128 elements, but got 129");
  problem.width = problem.valueWidth = 64;
  problem.type = DType::F64;
  EXPECT_EQ(planBackward(problem).status().message(),
            "expected attention of f32, f16 or bf16, but got f64");
  problem.type = DType::F32;
  problem.keys = (int64_t(1) << 30) + 1;
  EXPECT_EQ(planForward(problem).status().message(),
            "expected at most 2^30 queries and keys, but got 1073741825");
  problem.keys = 1;
  problem.queries = int64_t(1) << 30;
  problem.batch = 1 << 10;
  EXPECT_EQ(planForward(problem).status().message(),
            "expected fewer than 2^31 blocks of attention, but got 16777216 "
            "for each of 1024 heads");
}
