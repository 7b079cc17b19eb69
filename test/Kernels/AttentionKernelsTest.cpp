// Every kernel of attention against the definition in f64, run thread by thread
// on the CPU.
#include "Kernels/EmulatedKernels.h"
#include "kernels/driver/AttentionCases.h"
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <set>

using namespace mpc;
using namespace mpc::kernels;
using namespace mpc::test;

/// Each pair of features that may meet meets in the cases that tests check
/// all kernels by.
TEST(AttentionKernels, casesHaveAllPairs) {
  using Case = const AttentionCase &;
  using Feature = std::pair<const char *, std::function<bool(Case)>>;
  const std::vector<Feature> features = {
      {"f32", [](Case c) { return c.type == DType::F32; }},
      {"f16", [](Case c) { return c.type == DType::F16; }},
      {"bf16", [](Case c) { return c.type == DType::BF16; }},
      {"causal", [](Case c) { return c.causal; }},
      {"not causal", [](Case c) { return !c.causal; }},
      {"window", [](Case c) { return c.window != 0; }},
      {"softcap", [](Case c) { return c.softcap != 0; }},
      {"dropout", [](Case c) { return c.dropout != 0; }},
      {"flags", [](Case c) { return c.mask == DType::I1; }},
      {"added mask", [](Case c) { return c.mask && c.mask != DType::I1; }},
      {"no mask", [](Case c) { return !c.mask; }},
      {"a mask for all samples",
       [](Case c) { return c.mask && c.sharesMask[0] && c.batch > 1; }},
      {"masks of heads",
       [](Case c) { return c.mask && !c.sharesMask[1] && c.heads > 1; }},
      {"a mask for all queries",
       [](Case c) { return c.mask && c.sharesMask[2] && c.queries > 1; }},
      {"a mask for all keys",
       [](Case c) { return c.mask && c.sharesMask[3] && c.keys > 1; }},
      {"scale", [](Case c) { return c.scale && *c.scale != 0; }},
      {"packed", [](Case c) { return c.isPacked; }},
      {"apart", [](Case c) { return !c.isPacked && c.skip % 8 != 0; }},
      {"other keys", [](Case c) { return c.keys != c.queries; }},
      {"groups", [](Case c) { return c.heads != c.keyHeads; }},
      {"wide", [](Case c) { return std::max(c.width, c.valueWidth) > 64; }},
      {"narrow", [](Case c) { return std::max(c.width, c.valueWidth) <= 64; }},
      {"odd width", [](Case c) { return c.width % 8 != 0; }}};
  const std::set<std::set<std::string>> excluded = {
      {"f32", "f16"},
      {"f32", "bf16"},
      {"f16", "bf16"},
      {"causal", "not causal"},
      {"flags", "added mask"},
      {"flags", "no mask"},
      {"added mask", "no mask"},
      {"no mask", "a mask for all samples"},
      {"no mask", "masks of heads"},
      {"no mask", "a mask for all queries"},
      {"no mask", "a mask for all keys"},
      {"packed", "apart"},
      {"packed", "other keys"},
      {"wide", "narrow"}};
  std::vector<AttentionCase> cases = makeAttentionCases(72, 140);
  for (const auto &[first, hasFirst] : features)
    for (const auto &[second, hasSecond] : features)
      if (!excluded.contains({first, second})) {
        EXPECT_TRUE(std::ranges::any_of(
            cases, [&](Case c) { return hasFirst(c) && hasSecond(c); }))
            << first << " and " << second;
      }
}

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

/// Where f16 would overflow: a weight that dropout multiplies by 65536, and
/// slopes before they are scaled.
TEST(AttentionKernels, stayWithinF16) {
  EmulatedDevice device(1, 1);
  AttentionCase rare;
  rare.type = DType::F16;
  rare.queries = rare.keys = 400;
  rare.width = rare.valueWidth = 8;
  rare.dropout = 1 - 0x1p-16;
  rare.scale = 0;
  EXPECT_EQ(check(device, rare), "");
  AttentionCase large;
  large.type = DType::F16;
  large.queries = 5;
  large.keys = 2;
  large.width = large.valueWidth = 64;
  large.scale = 1e-5;
  large.size = 200;
  EXPECT_EQ(check(device, large), "");
}

/// Tensor cores cut sums off: after so many terms of one sign that would show.
TEST(AttentionKernels, roundLongSums) {
  EmulatedDevice device(1, 1);
  AttentionCase which;
  which.width = which.valueWidth = 8;
  which.scale = 0;
  which.mean = 1;
  which.size = 0.1;
  which.keys = 8000;
  EXPECT_EQ(check(device, which), "");
  std::swap(which.queries, which.keys);
  EXPECT_EQ(check(device, which), "");
}

static AttentionProblem makeLeast() {
  AttentionProblem problem;
  problem.batch = problem.heads = problem.keyHeads = 1;
  problem.queries = problem.keys = 1;
  problem.width = problem.valueWidth = 64;
  return problem;
}

TEST(AttentionKernels, refuseWhatNoKernelHas) {
  AttentionProblem problem = makeLeast();
  problem.width = problem.valueWidth = 129;
  EXPECT_EQ(planForward(problem).status().message(),
            "expected rows of at most 128 elements, but got 129");
  problem = makeLeast();
  problem.type = DType::F64;
  EXPECT_EQ(planBackward(problem).status().message(),
            "expected attention of f32, f16 or bf16, but got f64");
  problem = makeLeast();
  problem.keys = program::kMaxDeviceAttentionTimes + 1;
  EXPECT_EQ(planForward(problem).status().message(),
            "expected at most 2^29 queries and keys, but got 536870913");
  problem = makeLeast();
  problem.queries = program::kMaxDeviceAttentionTimes;
  problem.batch = 1 << 10;
  EXPECT_EQ(planForward(problem).status().message(),
            "expected fewer than 2^31 blocks of attention, but got 8388608 "
            "for each of 1024 heads");
}

TEST(AttentionKernels, refuseSizesThatDoNotFit) {
  AttentionProblem problem = makeLeast();
  problem.keys = 0;
  EXPECT_EQ(planForward(problem).status().message(),
            "expected sizes of at least 1, but got 0");
  problem = makeLeast();
  problem.heads = 3;
  problem.keyHeads = 2;
  EXPECT_EQ(planBackward(problem).status().message(),
            "expected each head of keys to have as many of queries, but got 2 "
            "for 3");
}
