// D6, D8, D10: torch's tests of GradScaler with optimizers (test_cuda.py). An
// inf gets into the gradients by an input of the model.
#include "CompiledStep.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace mpc::conformance;

namespace {
constexpr float kInf = std::numeric_limits<float>::infinity();

/// Two Linear(8, 8) one after the other; the gradient of `bad` is added to that
/// of the first weight.
const char *kTwoLinears = R"(
func.func @two(%x: tensor<8x8xf32> {graph.input = "x"}, %y: tensor<8x8xf32> {graph.input = "y"},
    %bad: tensor<8x8xf32> {graph.input = "bad"},
    %w0: tensor<8x8xf32> {graph.parameter = "0.weight", graph.init = #graph.uniform<-0.35, 0.35>},
    %b0: tensor<8xf32> {graph.parameter = "0.bias", graph.init = #graph.uniform<-0.35, 0.35>},
    %w1: tensor<8x8xf32> {graph.parameter = "1.weight", graph.init = #graph.uniform<-0.35, 0.35>},
    %b1: tensor<8xf32> {graph.parameter = "1.bias", graph.init = #graph.uniform<-0.35, 0.35>})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w0 transpose_rhs : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.add %0, %b0 : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %2 = graph.matmul %1, %w1 transpose_rhs : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.add %2, %b1 : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %4 = graph.mse %3, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  %5 = graph.mul %w0, %bad : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = graph.sum %5 dims = [0, 1] : (tensor<8x8xf32>) -> tensor<f32>
  %loss = graph.add %4, %6 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
})";
const char *kParameters[] = {"0.weight", "0.bias", "1.weight", "1.bias"};

/// Random inputs of four batches; the third has an inf.
std::vector<std::vector<Numbers>> fourBatches() {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<std::vector<Numbers>> batches;
  for (int i = 0; i < 4; ++i) {
    std::vector<Numbers> batch(3, Numbers(64));
    for (int k = 0; k < 2; ++k)
      for (float &value : batch[k])
        value = normal(random);
    if (i == 2)
      batch[2][5] = kInf;
    batches.push_back(batch);
  }
  return batches;
}

/// Scaled steps over all batches, and unscaled ones over the finite ones.
void compareWithControl(const std::string &options, const std::string &scaling,
                        double tolerance) {
  const std::string sgd = "--optimizer=sgd --lr=1 ";
  CompiledStep scaled(kTwoLinears, sgd + options + scaling);
  CompiledStep control(kTwoLinears, sgd + options + " --loss-scale=none");
  ASSERT_TRUE(scaled.ok() && control.ok());
  auto batches = fourBatches();
  for (int i = 0; i < 4; ++i) {
    scaled.run(batches[i]);
    EXPECT_EQ(scaled.flag("found_inf"), i == 2);
    if (i != 2)
      control.run(batches[i]);
  }
  for (const char *name : kParameters) {
    Numbers a = scaled.state(name), b = control.state(name);
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_NEAR(a[i], b[i], tolerance) << name << " " << i;
  }
  EXPECT_EQ(scaled.state("scaler.scale")[0], 128 * 8 * 0.5f);
  EXPECT_EQ(scaled.counter("step"), 3);
  EXPECT_EQ(scaled.counter("skipped"), 1);
  EXPECT_EQ(scaled.counter("consecutive_skips"), 0);
}

const std::string kScaling =
    " --loss-scale=dynamic --scale-init=128 --scale-growth=2 "
    "--scale-backoff=0.5 --scale-interval=1";
} // namespace

TEST(Conformance, D6_GradScaling) { compareWithControl("", kScaling, 1e-7); }
TEST(Conformance, D6_GradScalingClipping) {
  compareWithControl("--clip-norm=0.2", kScaling, 1e-7);
}
TEST(Conformance, D6_GradScalingAutocast) {
  compareWithControl("--precision=fp16", kScaling, 1e-3);
}

namespace {
/// Two models with a loss and an optimizer each; gradients are the inputs.
const char *kTwoOptimizers = R"(
func.func @two(%g0: tensor<4xf32> {graph.input = "g0"}, %g1: tensor<4xf32> {graph.input = "g1"},
    %w0: tensor<4xf32> {graph.parameter = "0.weight", graph.init = #graph.fill<1.0>},
    %w1: tensor<4xf32> {graph.parameter = "1.weight", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      loss_scale = #graph.loss_scale<mode = "dynamic", init = 128.0>,
      optimizer = #graph.optimizer<name = "adamw", lr = 0.5>CLIP,
      groups = [#graph.parameter_group<name = "second", pattern = "1\\..*", optimizer = #graph.optimizer<name = "sgd", lr = 1.0>>]>} {
  %0 = graph.mul %w0, %g0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.sum %0 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  %2 = graph.mul %w1, %g1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.sum %2 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  %loss = graph.add %1, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
})";

std::string twoOptimizers(const std::string &clip = "") {
  std::string text = kTwoOptimizers;
  return text.replace(text.find("CLIP"), 4, clip);
}
} // namespace

TEST(Conformance, D8_OnlyTheOptimizerWithAnInfSkips) {
  CompiledStep step(twoOptimizers());
  ASSERT_TRUE(step.ok());
  Numbers finite(4, 0.25f), bad(4, 0.25f);
  bad[2] = kInf;
  step.run({finite, bad});
  EXPECT_TRUE(step.flag("found_inf"));
  EXPECT_EQ(step.state("1.weight"), Numbers(4, 1.0f));
  for (float value : step.state("0.weight")) // Adam's first step is the rate
    EXPECT_NEAR(value, 0.5f, 1e-6);
  EXPECT_EQ(step.counter("step"), 1);
  EXPECT_EQ(step.counter("second.step"), 0);
  EXPECT_EQ(step.counter("skipped"), 1);
  EXPECT_EQ(step.state("scaler.scale")[0], 64.0f); // once
  step.run({bad, finite});
  EXPECT_EQ(step.state("1.weight"), Numbers(4, 0.75f));
  for (float value : step.state("0.weight"))
    EXPECT_NEAR(value, 0.5f, 1e-6);
  EXPECT_EQ(step.counter("step"), 1);
  EXPECT_EQ(step.counter("second.step"), 1);
  EXPECT_EQ(step.counter("consecutive_skips"), 2);
  EXPECT_EQ(step.state("scaler.scale")[0], 32.0f);
  step.run({bad, bad}); // Two of them shrink the scale once, too.
  EXPECT_EQ(step.state("scaler.scale")[0], 16.0f);
}

// Where the coefficient depends on all gradients, a NaN of one group would
// reach the other through it (in torch it does): both skip.
TEST(Conformance, D8_GroupsThatShareANormSkipTogether) {
  CompiledStep step(twoOptimizers(", clip = #graph.clip<norm = 1.0>"));
  ASSERT_TRUE(step.ok());
  Numbers finite(4, 0.25f), bad(4, std::numeric_limits<float>::quiet_NaN());
  step.run({finite, bad});
  EXPECT_EQ(step.state("0.weight"), Numbers(4, 1.0f));
  EXPECT_EQ(step.state("1.weight"), Numbers(4, 1.0f));
  EXPECT_EQ(step.counter("step"), 0);
  CompiledStep own(
      twoOptimizers(", clip = #graph.clip<norm = 1.0, scope = \"group\">"));
  own.run({finite, bad});
  EXPECT_NE(own.state("0.weight"), Numbers(4, 1.0f));
  EXPECT_EQ(own.state("1.weight"), Numbers(4, 1.0f));
}

TEST(Conformance, D10_AdamKeepsEveryBitOnASkip) {
  for (const char *precision : {"fp32", "fp16"}) {
    SCOPED_TRACE(precision);
    CompiledStep step(kTwoLinears,
                      std::string("--optimizer=adamw --lr=0.01 "
                                  "--weight-decay=0.1 --precision=") +
                          precision + kScaling);
    ASSERT_TRUE(step.ok());
    auto batches = fourBatches();
    step.run(batches[0]);
    step.run(batches[1]);
    std::vector<Numbers> before = step.allFloats();
    step.run(batches[2]);
    EXPECT_TRUE(step.flag("found_inf"));
    EXPECT_EQ(step.counter("step"), 2);
    std::vector<Numbers> after = step.allFloats();
    size_t changed = 0; // the scale
    for (size_t i = 0; i < before.size(); ++i)
      changed += !sameBits(before[i], after[i]);
    EXPECT_EQ(changed, 1u);
    step.run(batches[3]);
    EXPECT_EQ(step.counter("step"), 3);
  }
}

// TensorFlow 2 advances the schedule on a skipped step; here, as in torch with
// Accelerate's scheduler, a step that did not occur is not counted.
TEST(Conformance, ScheduleCountsStepsThatWereTaken) {
  CompiledStep step(kTwoLinears, "--optimizer=sgd --lr=1 --schedule=linear "
                                 "--warmup-steps=4 --total-steps=8" +
                                     kScaling);
  ASSERT_TRUE(step.ok());
  auto batches = fourBatches();
  const float rates[] = {0.25f, 0.5f, 0.5f};
  const int order[] = {0, 2, 1}; // the second has an inf
  const int taken[] = {1, 1, 2}, inRow[] = {0, 1, 0};
  for (int i = 0; i < 3; ++i) {
    step.run(batches[order[i]]);
    EXPECT_EQ(step.scalar("lr"), rates[i]);
    EXPECT_EQ(step.count("step"), taken[i]);
    EXPECT_EQ(step.count("consecutive_skips"), inRow[i]);
  }
  step.set("optimizer.lr", {2.0f}); // the base, which the user may set
  step.run(batches[3]);
  EXPECT_EQ(step.scalar("lr"), 1.5f);
}
