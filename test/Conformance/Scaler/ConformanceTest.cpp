// Cases D1 to D23 that concern the loss scaler, by their numbers
// (docs/Conformance.md says what each is, and where the others are). Expected
// values are published by the system, or follow from its rule by hand.
#include "OurScaler.h"
#include "Reference/Interpreter.h"
#include "mlir/Parser/Parser.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mpc;
using namespace mpc::conformance;
using reference::Tensor;

static constexpr float kInf = std::numeric_limits<float>::infinity();

namespace {

/// One scaler, step by step.
class Trace {
public:
  explicit Trace(const std::string &settings) : programs({settings}) {
    if (programs.isValid())
      step = programs.first(0);
  }
  /// A step with gradient 1, or infinity.
  Trace &update(bool foundInf) { return update(foundInf ? kInf : 1.0f); }
  Trace &update(float gradient) {
    step = programs.next(0, step, gradient, programs.reference());
    return *this;
  }
  /// The scales behind each of the steps "0010".
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
  ScalerStep step;
};

using Scales = std::vector<double>;
using Trackers = std::vector<int64_t>;

} // namespace

//===-- D1, D3, D4, D13, D18, D19: scale and unscale ---------------------===//

/// graph.unscale of tensors of rank 1 and 2 by the reference interpreter: the
/// unscaled tensors, and found_inf.
static std::vector<Tensor> unscale(float scale, std::vector<Tensor> gradients) {
  std::string arguments, values, types, result;
  for (size_t i = 0; i < gradients.size(); ++i) {
    std::string type = reference::typeString(gradients[i]);
    arguments += ", %g" + std::to_string(i) + ": " + type;
    values += ", %g" + std::to_string(i);
    types += ", " + type;
    result += type + ", ";
  }
  std::string count = std::to_string(gradients.size() + 1);
  std::string text = "func.func @f(%s: tensor<f32>" + arguments + ") -> (" +
                     result + "tensor<i1>) {\n  %u:" + count +
                     " = graph.unscale %s" + values + " : (tensor<f32>" +
                     types + ") -> (" + result + "tensor<i1>)\n  return ";
  for (size_t i = 0; i <= gradients.size(); ++i)
    text += (i ? ", %u#" : "%u#") + std::to_string(i);
  text += " : " + result + "tensor<i1>\n}";
  MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, graph::GraphDialect>();
  auto module = mlir::parseSourceString<ModuleOp>(text, &context);
  std::vector<Tensor> all{Tensor::real(DType::F32, {}, {scale})};
  all.insert(all.end(), gradients.begin(), gradients.end());
  auto results =
      reference::evaluate(*module->getOps<mlir::func::FuncOp>().begin(),
                          std::move(all), reference::Mode::Rounded);
  return succeeded(results) ? *results : std::vector<Tensor>();
}

static Tensor filled(DType type, reference::Shape shape, double value) {
  size_t count = reference::numElements(shape);
  return Tensor::real(type, std::move(shape),
                      std::vector<double>(count, value));
}

static bool isAll(const Tensor &tensor, double value) {
  return std::all_of(tensor.reals.begin(), tensor.reals.end(),
                     [&](double element) { return element == value; });
}

// torch test_grad_scaling_unscale: inv_scale 0.25 on grads of 4.
TEST(D1, UnscaleFours) {
  for (int64_t size : {10, 20}) {
    Tensor fours = filled(DType::F32, {size, size}, 4);
    Tensor wide = filled(DType::F64, {size, size}, 4);
    auto clean = unscale(4, {fours, wide, fours});
    ASSERT_EQ(clean.size(), 4u);
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(isAll(clean[i], 1));
    EXPECT_EQ(clean[3].ints[0], 0);
    for (double bad : {double(kInf), double(std::nanf(""))}) {
      Tensor spoiled = fours;
      spoiled.reals[2 * size + 2] = bad;
      EXPECT_EQ(unscale(4, {fours, wide, spoiled})[3].ints[0], 1);
      EXPECT_EQ(unscale(4, {spoiled, wide, fours})[3].ints[0], 1);
    }
  }
}

// torch test_grad_scaling_scale: 2.0 under scale 4.0 is 8.0; and FSDP's
// sharded scaler with scale 2: 8 is 16, 4 is 8.
TEST(D4, ScaleALoss) {
  auto scaled = [](double loss, double scale) {
    MLIRContext context;
    context.loadDialect<mlir::func::FuncDialect, graph::GraphDialect>();
    auto module = mlir::parseSourceString<ModuleOp>(
        "func.func @f(%l: tensor<f32>, %s: tensor<f32>) -> tensor<f32> {\n"
        "  %0 = graph.scale %l, %s : tensor<f32>, tensor<f32>\n"
        "  return %0 : tensor<f32>\n}",
        &context);
    auto results =
        reference::evaluate(*module->getOps<mlir::func::FuncOp>().begin(),
                            {Tensor::real(DType::F32, {}, {loss}),
                             Tensor::real(DType::F32, {}, {scale})},
                            reference::Mode::Rounded);
    return (*results)[0].reals[0];
  };
  EXPECT_EQ(scaled(2, 4), 8);
  EXPECT_EQ(scaled(8, 2), 16); // D11
  EXPECT_EQ(scaled(4, 2), 8);  // D11
}

// Apex test_multi_tensor_scale: scale 4 of values 4, inf and nan at the first,
// the middle and the last element of each tensor.
TEST(D13, UnscaleManySizes) {
  std::vector<Tensor> tensors;
  for (int64_t size :
       {7777 * 3, 777, 555, 2048 * 32 - 1, 2048 * 32, 2048 * 32 + 1, 33333})
    tensors.push_back(filled(DType::F32, {size}, 4));
  auto clean = unscale(4, tensors);
  for (size_t i = 0; i < tensors.size(); ++i)
    EXPECT_TRUE(isAll(clean[i], 1));
  EXPECT_EQ(clean.back().ints[0], 0);
  for (Tensor &tensor : tensors)
    for (size_t at : {size_t(0), tensor.size() / 2, tensor.size() - 1})
      for (double bad : {double(kInf), double(std::nanf(""))}) {
        tensor.reals[at] = bad;
        EXPECT_EQ(unscale(4, tensors).back().ints[0], 1) << at;
        tensor.reals[at] = 4;
      }
}

// Accelerate test_optimizer: gradients 0.01 are applied, nan skips, twice.
TEST(D18, SkipsOnNan) {
  Trace run("loss-scale=torch");
  EXPECT_FALSE(run.update(0.01f).step.foundInf);
  EXPECT_TRUE(run.update(std::nanf("")).step.foundInf);
  EXPECT_TRUE(run.update(std::nanf("")).step.foundInf);
  EXPECT_FALSE(run.update(0.01f).step.foundInf);
}

// ORT: MixedPrecisionScale by 0.1, IsFinite and IsAllFinite.
TEST(D19, MixedPrecisionScale) {
  auto seven =
      unscale(10, {Tensor::real(DType::F32, {7}, {1, 2, 3, 4, 5, 6, 7})});
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(static_cast<float>(seven[0].reals[i]),
              static_cast<float>(i + 1) * 0.1f);
  EXPECT_EQ(
      unscale(1, {Tensor::real(DType::F32, {3}, {kInf, 1, 2})})[1].ints[0], 1);
  EXPECT_EQ(
      unscale(1, {Tensor::real(DType::F32, {2}, {1, std::nan("")})})[1].ints[0],
      1);
  EXPECT_EQ(unscale(1, {Tensor::real(DType::F32, {2}, {1, -3e38})})[1].ints[0],
            0);
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
  EXPECT_EQ(spiral.scale(), 0);
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
      auto floor = static_cast<float>(std::atof(minimum));
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
// Without a floor 144 skips from 2^16 make 1 / scale infinite and 166 make the
// scale 0. With ours it stays at 2^-14, the step says so, and it recovers.
TEST(D22, ThereIsAFloor) {
  Trace spiral("loss-scale=torch");
  for (int i = 0; i < 144; ++i)
    spiral.update(true);
  EXPECT_EQ(spiral.scale(), 0x1p-128);
  EXPECT_EQ(spiral.update(1.0f).step.gradient, kInf);
  for (int i = 0; i < 22; ++i)
    spiral.update(true);
  EXPECT_EQ(spiral.scale(), 0);

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
