// Every multi-tensor kernel against its reference, run thread by thread on the
// CPU.
#include "Kernels/EmulatedKernels.h"
#include "kernels/driver/Problem.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::kernels;
using namespace mpc::test;

class MultiTensorTest : public testing::TestWithParam<Kind> {
protected:
  static std::vector<Case> cases() {
    std::vector<Case> cases = makeCases();
    std::erase_if(cases,
                  [](const Case &each) { return each.op.kind != GetParam(); });
    return cases;
  }
  static bool passesAll(EmulatedDevice &&device) {
    return std::ranges::all_of(cases(), [&](const Case &which) {
      return check(device, which).empty();
    });
  }
};

TEST_P(MultiTensorTest, equalTheirReferences) {
  EmulatedDevice device(/*multiprocessors=*/2, /*seed=*/1);
  for (const Case &which : cases())
    EXPECT_EQ(check(device, which), "") << which.name;
}

// One multiprocessor: many chunks per block. Forty: blocks with one chunk each
// or none, and more partials than a warp has lanes. Each case takes one order.
TEST_P(MultiTensorTest, equalTheirReferencesInOtherOrders) {
  for (uint32_t multiprocessors : {1, 40})
    for (uint64_t seed : {0, 2, 3}) {
      EmulatedDevice device(multiprocessors, seed);
      for (const Case &which : cases())
        if (which.seed % 4 == seed) {
          EXPECT_EQ(check(device, which), "") << which.name;
        }
    }
}

TEST_P(MultiTensorTest, aRemovedBarrierShows) {
  (void)takeBarriers();
  EXPECT_TRUE(passesAll(EmulatedDevice(2, 1)));
  for (const Barrier &barrier : takeBarriers()) {
    removeBarrier(barrier);
    bool passes = passesAll(EmulatedDevice(2, 1));
    removeBarrier(std::nullopt);
    EXPECT_FALSE(passes) << barrier.file << ":" << barrier.line;
  }
}

static std::string nameOf(Kind kind) {
  std::string text = describe({.kind = kind});
  return text.substr(0, text.find(' '));
}

INSTANTIATE_TEST_SUITE_P(All, MultiTensorTest,
                         testing::Values(Kind::UnscaleL2Norm, Kind::AdamW,
                                         Kind::Sgd),
                         [](const auto &each) { return nameOf(each.param); });
