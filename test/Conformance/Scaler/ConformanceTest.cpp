// Cases D1 to D23 that concern the loss scaler, by their numbers
// (docs/Conformance.md says what each is, and where the others are). Expected
// values are published by the system, or follow from its rule by hand. Ours are
// those of kernels compiled for the CPU.
#include "Numerics/Kernels/TestedModules.h"
#include "OurScaler.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mpc;
using namespace mpc::conformance;

static constexpr float kInf = std::numeric_limits<float>::infinity();

namespace {

/// One scaler, step by step.
class Trace {
public:
  explicit Trace(const std::string &settings) : programs({settings}) {
    if (!programs.isValid())
      return;
    step = programs.first(0);
    compiled =
        test::compileForTest(programs.text(), test::getTestedTargets().front());
  }
  /// A step with gradient 1, or infinity.
  Trace &update(bool foundInf) { return update(foundInf ? kInf : 1.0f); }
  Trace &update(float gradient) {
    step = programs.next(0, step, gradient,
                         [&](const std::string &name, const auto &arguments) {
                           return compiled->run(name, arguments, {});
                         });
    return *this;
  }
  /// The scales after each of the steps "0010".
  std::vector<double> scales(const std::string &sequence) {
    std::vector<double> all;
    for (char overflows : sequence)
      all.push_back(update(overflows == '1').step.scale());
    return all;
  }
  std::vector<int64_t> trackers(const std::string &sequence) {
    std::vector<int64_t> all;
    for (char overflows : sequence)
      all.push_back(update(overflows == '1').step.growthTracker());
    return all;
  }
  double scale() const { return step.scale(); }

  StepPrograms programs;
  std::unique_ptr<test::GroupedModule> compiled;
  ScalerStep step;
};

using Scales = std::vector<double>;
using Trackers = std::vector<int64_t>;

} // namespace

//===-- D18: found_inf ---------------------------------------------------===//

// Accelerate test_optimizer: gradients 0.01 are applied, nan skips, twice.
TEST(D18, SkipsOnNan) {
  Trace run("loss-scale=torch");
  EXPECT_FALSE(run.update(0.01f).step.foundInf);
  EXPECT_TRUE(run.update(std::nanf("")).step.foundInf);
  EXPECT_TRUE(run.update(std::nanf("")).step.foundInf);
  EXPECT_FALSE(run.update(0.01f).step.foundInf);
}

//===-- D2, D12, D14, D16, D17: published cases of the state machine -----===//

// torch test_grad_scaling_update_scale.
TEST(D2, UpdateScale) {
  Trace run("loss-scale=torch scale-init=4 scale-growth=2 scale-backoff=0.25 "
            "scale-interval=2");
  run.update(false);
  EXPECT_EQ(run.scale(), 4);
  EXPECT_EQ(run.step.growthTracker(), 1);
  run.update(false);
  EXPECT_EQ(run.scale(), 8);
  EXPECT_EQ(run.step.growthTracker(), 0);
  run.update(true);
  EXPECT_EQ(run.scale(), 2);
  EXPECT_EQ(run.step.growthTracker(), 0);
}

// torch's state_dict: the scale and the tracker move from run to run, and so do
// an overwritten scale and its tracker (update(new_scale)).
TEST(D5, StateMoves) {
  Trace run("loss-scale=torch scale-init=3 scale-growth=4 scale-interval=2");
  run.update(false);
  EXPECT_EQ(run.step.growthTracker(), 1);
  Trace other("loss-scale=torch scale-init=6 scale-growth=4 scale-interval=2");
  other.step = run.step;
  other.update(false);
  EXPECT_EQ(other.scale(), 12);
  EXPECT_EQ(other.step.growthTracker(), 0);
  run.step.state["scaler.scale"].reals[0] = 100;
  EXPECT_EQ(run.step.growthTracker(), 1); // A new scale leaves it alone.
  run.update(false);
  EXPECT_EQ(run.scale(), 400);
}

// GradScaler.update(new_scale) of PyTorch 2.15.0, run with init_scale=8 and
// growth_interval=3: it stands in for update(), so the tracker does not count
// that step, and an overflow does not clear it. A step here has counted when
// the scale can be written; with the tracker written back it is PyTorch's run.
TEST(D5, NewScaleForAnUpdate) {
  struct Row {
    bool foundInf;
    double newScale; // 0: update() without one.
    double scale;
    int tracker;
  };
  constexpr Row torchRun[] = {
      {false, 0, 8, 1},     {false, 64, 64, 1}, {false, 0, 64, 2},
      {false, 0, 128, 0},   {true, 32, 32, 0},  {false, 0, 32, 1},
      {false, 0, 32, 2},    {false, 0, 64, 0},  {true, 0, 32, 0},
      {false, 0, 32, 1},    {false, 16, 16, 1}, {false, 0, 16, 2},
      {true, 4, 4, 2},      {false, 0, 8, 0},   {false, 128, 128, 0},
      {false, 128, 128, 0}, {false, 0, 128, 1}};
  Trace run("loss-scale=torch scale-init=8 scale-interval=3");
  for (auto [index, row] : llvm::enumerate(torchRun)) {
    auto before = run.step.state.at("scaler.growth_tracker");
    run.update(row.foundInf);
    if (row.newScale != 0) {
      run.step.state.at("scaler.scale").reals[0] = row.newScale;
      run.step.state.at("scaler.growth_tracker") = before;
    }
    EXPECT_EQ(run.scale(), row.scale) << "step " << index;
    EXPECT_EQ(run.step.growthTracker(), row.tracker) << "step " << index;
  }

  // The scale alone: the step counts, and the growth comes one step earlier.
  Trace counted("loss-scale=torch scale-init=8 scale-interval=3");
  counted.update(false).update(false);
  counted.step.state.at("scaler.scale").reals[0] = 64;
  EXPECT_EQ(counted.step.growthTracker(), 2);
  EXPECT_EQ(counted.update(false).scale(), 128);
}

// Apex test_update_scale_hysteresis.py.
TEST(D12, ApexHysteresis) {
  constexpr int kHysteresis = 3, kInterval = 4;
  auto start = [&] {
    return Trace("loss-scale=apex-hysteresis scale-init=65536 scale-interval=4 "
                 "scale-hysteresis=3");
  };
  Trace absorbed("loss-scale=apex-hysteresis scale-init=65536 scale-interval=4 "
                 "scale-hysteresis=3");
  for (int i = 0; i < kHysteresis - 1; ++i)
    EXPECT_EQ(absorbed.update(true).scale(), 65536);
  for (int i = 0; i < kInterval - 1; ++i)
    EXPECT_EQ(absorbed.update(false).scale(), 65536);
  for (int extra = 0; extra < 5; ++extra) {
    Trace run = start();
    for (int i = 0; i < kHysteresis + extra; ++i)
      run.update(true);
    EXPECT_EQ(run.scale(), std::ldexp(65536.0, -(1 + extra)));
  }
  for (int extra = 0; extra < 9; ++extra) {
    Trace run = start();
    for (int i = 0; i < kInterval + extra; ++i)
      run.update(false);
    EXPECT_EQ(run.scale(), std::ldexp(65536.0, extra / kInterval + 1));
  }
  Trace spiral = start();
  for (int i = 0; i < kHysteresis + 170; ++i)
    spiral.update(true);
  EXPECT_EQ(spiral.scale(), 0x1p-126); // Apex' sinks on, to 0.
}

// DeepSpeed test_dynamic_loss_scale.py; hysteresis 1 also is D15's.
TEST(D14, DeepSpeedNoOverflow) {
  Trace run("loss-scale=deepspeed scale-init=256 scale-interval=2 "
            "scale-hysteresis=1");
  double expected = 256;
  for (int i = 0; i < 10; ++i) {
    // The scale used by iteration i doubled after every second one.
    EXPECT_EQ(run.scale(), expected) << i;
    run.update(false);
    if (i % 2 == 0 && i > 0)
      expected *= 2;
  }
}
TEST(D14, DeepSpeedAllOverflow) {
  Trace run("loss-scale=deepspeed scale-init=256 scale-interval=2 "
            "scale-hysteresis=1");
  float values[] = {kInf,          -kInf,         std::nanf(""), std::nanf(""),
                    std::nanf(""), std::nanf(""), std::nanf(""), std::nanf("")};
  double expected = 256;
  for (float value : values) {
    expected = std::max(expected / 2, 1.0);
    run.update(value);
    EXPECT_EQ(run.scale(), expected);
    EXPECT_FALSE(run.step.atFloor);
  }
  EXPECT_EQ(run.scale(), 1);
  EXPECT_TRUE(run.update(true).step.atFloor); // DeepSpeed raises.
}
TEST(D14, DeepSpeedSomeOverflow) {
  Trace run("loss-scale=deepspeed scale-init=256 scale-interval=2 "
            "scale-hysteresis=1");
  run.update(kInf).update(std::nanf(""));
  EXPECT_EQ(run.scale(), 64);
  run.update(false).update(false).update(false); // window + 1
  EXPECT_EQ(run.scale(), 128);
  run.update(kInf);
  EXPECT_EQ(run.scale(), 64);
}

// Keras loss_scale_optimizer_test: 4 infinite steps from 400; growth_steps 2.
TEST(D16, KerasDownscalesAndUpscales) {
  Trace down("loss-scale=keras scale-init=400");
  down.scales("1111");
  EXPECT_EQ(down.scale(), 25);
  Trace up("loss-scale=keras scale-init=2 scale-interval=2");
  up.scales("00000000");
  EXPECT_EQ(up.scale(), 32);
}

// jmp loss_scale_test: factors 2 and 3, and the minimum.
TEST(D17, JmpGrowsAfterAPeriod) {
  for (int period : {20, 30})
    for (int factor : {2, 3}) {
      Trace run("loss-scale=jmp scale-init=10 scale-interval=" +
                std::to_string(period) +
                " scale-growth=" + std::to_string(factor));
      for (int i = 0; i < period - 1; ++i)
        EXPECT_EQ(run.update(false).scale(), 10);
      EXPECT_EQ(run.update(false).scale(), 10 * factor);
    }
}
TEST(D17, JmpStopsAtTheMinimum) {
  for (int factor : {2, 3})
    for (const char *minimum : {"1", "0.3125", "0.37", "0"}) {
      std::string backoff =
          factor == 2 ? "0.5" : "0.33333333333333331"; // f64(1 / 3)
      Trace run("loss-scale=jmp scale-init=10 scale-backoff=" + backoff +
                " scale-floor=" + minimum);
      float expected = 10;
      float floor = std::max(static_cast<float>(std::atof(minimum)), 0x1p-126f);
      for (int i = 0; i < 100; ++i) {
        expected = std::max(floor, expected / static_cast<float>(factor));
        EXPECT_EQ(run.update(true).scale(), expected)
            << factor << " " << minimum << " " << i;
      }
    }
}

//===-- D21, D22, D23: derived -------------------------------------------===//

TEST(D21, Torch) {
  const char sequence[] = "000010011000";
  Trace scales("loss-scale=torch scale-init=8 scale-interval=3");
  EXPECT_EQ(scales.scales(sequence),
            (Scales{8, 8, 16, 16, 8, 8, 8, 4, 2, 2, 2, 4}));
  Trace trackers("loss-scale=torch scale-init=8 scale-interval=3");
  EXPECT_EQ(trackers.trackers(sequence),
            (Trackers{1, 2, 0, 1, 0, 1, 2, 0, 0, 1, 2, 0}));
}
TEST(D21, Apex) {
  Trace run("loss-scale=apex scale-init=64 scale-interval=3");
  EXPECT_EQ(run.scales("0001000"), (Scales{64, 64, 128, 64, 64, 64, 128}));
}
TEST(D21, ApexHysteresis) {
  Trace run("loss-scale=apex-hysteresis scale-init=64 scale-interval=3");
  EXPECT_EQ(run.scales("11100011"), (Scales{64, 32, 16, 16, 16, 32, 32, 16}));
  Trace alternating(
      "loss-scale=apex-hysteresis scale-init=64 scale-interval=3");
  EXPECT_EQ(alternating.scales("10101"), (Scales{64, 64, 64, 64, 64}));
}
TEST(D21, Megatron) {
  Trace run("loss-scale=megatron scale-init=64 scale-interval=3");
  EXPECT_EQ(run.scales("11100011"), (Scales{64, 32, 16, 16, 16, 32, 32, 16}));
  // Megatron's goes below 0 where ours stays: 1 0 -1 -1 -1 2 1 0.
  EXPECT_EQ(run.step.hysteresisTracker(), 0);
  Trace alternating("loss-scale=megatron scale-init=64 scale-interval=3");
  EXPECT_EQ(alternating.scales("10101"), (Scales{64, 64, 32, 32, 16}));
}
TEST(D21, DeepSpeed) {
  Trace clean("loss-scale=deepspeed scale-init=64 scale-interval=2");
  EXPECT_EQ(clean.scales("0000000"), (Scales{64, 64, 128, 128, 256, 256, 512}));
  Trace run("loss-scale=deepspeed scale-init=64 scale-interval=3");
  EXPECT_EQ(run.scales("111000011"),
            (Scales{64, 32, 16, 16, 16, 16, 32, 32, 16}));
  Trace since("loss-scale=deepspeed scale-init=64 scale-interval=3");
  EXPECT_EQ(since.scales("101010"), (Scales{64, 64, 32, 32, 16, 16}));
  Trace consecutive(
      "loss-scale=deepspeed-consecutive scale-init=64 scale-interval=3");
  EXPECT_EQ(consecutive.scales("101010"), (Scales{64, 64, 64, 64, 64, 64}));
}
TEST(D21, Keras) {
  for (const char *system : {"keras", "tf2"}) {
    Trace run("loss-scale=" + std::string(system) +
              " scale-init=2 scale-interval=2");
    EXPECT_EQ(run.scales("00000000"), (Scales{2, 4, 4, 8, 8, 16, 16, 32}));
  }
}
TEST(D21, Jmp) {
  Trace scales("loss-scale=jmp scale-init=64 scale-interval=3");
  EXPECT_EQ(scales.scales("0001000"), (Scales{64, 64, 128, 64, 64, 64, 128}));
  Trace trackers("loss-scale=jmp scale-init=64 scale-interval=3");
  EXPECT_EQ(trackers.trackers("0001000"), (Trackers{1, 2, 0, 0, 1, 2, 0}));
}

// Near the top growth is refused, and the count starts again.
TEST(D22, GrowthToInfinityIsRefused) {
  Trace run("loss-scale=torch scale-init=1.7014118346046923e+38 "
            "scale-interval=1");
  ASSERT_EQ(run.scale(), 0x1p127);
  run.update(false);
  EXPECT_EQ(run.scale(), 0x1p127);
  EXPECT_EQ(run.step.growthTracker(), 0);
  Trace unguarded("loss-scale=torch scale-init=1.7014118346046923e+38 "
                  "scale-interval=1 scale-growth-guard=false");
  EXPECT_EQ(unguarded.update(false).scale(), double(kInf));
}
// torch's scale has no floor: 144 skips from 2^16 make 1 / scale infinite and
// 166 make the scale 0, and each step after that is a skip. Ours stops at the
// smallest normal number even so. With the floor of our own scaler it stays at
// 2^-14. The step says so, and it recovers.
TEST(D22, ThereIsAFloor) {
  Trace spiral("loss-scale=torch");
  for (int i = 0; i < 142; ++i) {
    EXPECT_FALSE(spiral.step.atFloor) << i;
    spiral.update(true);
  }
  EXPECT_EQ(spiral.scale(), 0x1p-126);
  for (int i = 142; i < 170; ++i) {
    spiral.update(true);
    EXPECT_TRUE(spiral.step.atFloor) << i;
    EXPECT_EQ(spiral.scale(), 0x1p-126);
  }
  EXPECT_EQ(spiral.update(3.0f).step.gradient, 3.0f);
  EXPECT_FALSE(spiral.step.atFloor);
  Trace below("loss-scale=torch scale-init=5.877471754111438e-39");
  EXPECT_EQ(below.update(true).scale(), 0x1p-127);

  Trace run("loss-scale=dynamic");
  for (int i = 0; i < 30; ++i) {
    EXPECT_FALSE(run.step.atFloor) << i;
    run.update(true);
  }
  EXPECT_EQ(run.scale(), 0x1p-14);
  for (int i = 30; i < 144; ++i) {
    run.update(true);
    EXPECT_TRUE(run.step.atFloor) << i;
    EXPECT_EQ(run.scale(), 0x1p-14);
  }
  run.update(3.0f);
  EXPECT_EQ(run.step.gradient, 3.0f);
  EXPECT_FALSE(run.step.atFloor);
}

// On a step that grows, gradients are divided by the scale that they were
// multiplied by; DeepSpeed divides by the next one.
TEST(D23, GrowthStepDividesByTheOldScale) {
  constexpr float kGradient = 0.7368421f;
  Trace ours("loss-scale=deepspeed scale-init=64 scale-interval=1");
  ours.update(kGradient).update(kGradient);
  EXPECT_EQ(ours.scale(), 128); // It grew,
  EXPECT_EQ(ours.step.gradient, kGradient);
  Trace theirs("loss-scale=deepspeed scale-init=64 scale-interval=1 "
               "scale-divide-by-next=true");
  theirs.update(kGradient);
  EXPECT_EQ(theirs.step.gradient, kGradient); // The first step does not.
  theirs.update(kGradient);
  EXPECT_EQ(theirs.scale(), 128);
  EXPECT_EQ(theirs.step.gradient, kGradient / 2);
}
