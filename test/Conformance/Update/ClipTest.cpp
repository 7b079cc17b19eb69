// E1, E2, E8: torch's clip_grad_norm_ and clip_grad_value_ (torch/nn/utils,
// test_nn.py), and what optax and Megatron make of the same.
//
// The model is linear in its parameters, so their gradients are its inputs;
// SGD from zeros at rate 1 makes the next parameters the clipped gradients with
// the sign changed.
#include "CompiledStep.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>

using namespace mpc::conformance;

namespace {
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// As Linear(10, 10): a matrix and a bias.
const char *kLinear = R"(
func.func @linear(%gw: tensor<10x10xf32> {graph.input = "gw"}, %gb: tensor<10xf32> {graph.input = "gb"},
    %w: tensor<10x10xf32> {graph.parameter = "weight", graph.init = #graph.zeros},
    %b: tensor<10xf32> {graph.parameter = "bias", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.mul %w, %gw : (tensor<10x10xf32>, tensor<10x10xf32>) -> tensor<10x10xf32>
  %1 = graph.sum %0 dims = [0, 1] : (tensor<10x10xf32>) -> tensor<f32>
  %2 = graph.mul %b, %gb : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %3 = graph.sum %2 dims = [0] : (tensor<10xf32>) -> tensor<f32>
  %loss = graph.add %1, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
})";

/// A model of one parameter with one element.
const char *kScalar = R"(
func.func @scalar(%g: tensor<1xf32> {graph.input = "g"},
    %w: tensor<1xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.mul %w, %g : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %loss = graph.sum %0 dims = [0] : (tensor<1xf32>) -> tensor<f32>
  return %loss : tensor<f32>
})";

const std::string kSgd = "--optimizer=sgd --lr=1 ";

/// Gradients, and what they are after the clip.
class Linear {
public:
  explicit Linear(const std::string &options) : step(kLinear, kSgd + options) {}

  /// Clipped weights, then bias.
  Numbers clip(const Numbers &weight, const Numbers &bias) {
    step.run({weight, bias});
    Numbers all = step.state("weight"), rest = step.state("bias");
    all.insert(all.end(), rest.begin(), rest.end());
    for (float &value : all)
      value = -value;
    return all;
  }
  CompiledStep step;
};

double normOf(const Numbers &values, double p) {
  double sum = 0, most = 0;
  for (float value : values) {
    sum += std::pow(std::fabs(double(value)), p);
    most = std::max(most, std::fabs(double(value)));
  }
  return std::isinf(p) ? most : std::pow(sum, 1 / p);
}

/// 1, 2, ..., 100.
Numbers upToHundred() {
  Numbers values(100);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

Numbers joined(Numbers a, const Numbers &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The clipped element of a gradient of one element.
float clipOne(const std::string &options, float gradient) {
  CompiledStep step(kScalar, kSgd + options);
  step.run({{gradient}});
  return -step.state("w")[0];
}
} // namespace

TEST(Conformance, E1_ClipGradNorm) {
  for (const char *type : {"0.5", "1.5", "2", "4", "inf"}) {
    SCOPED_TRACE(type);
    double p = std::strcmp(type, "inf") ? std::atof(type) : INFINITY;
    Linear model(std::string("--clip-norm=2 --clip-norm-type=") + type);
    Numbers weight = upToHundred(), bias(10, 0.001f);
    Numbers before = joined(weight, bias);
    Numbers after = model.clip(weight, bias);
    double norm = normOf(before, p);
    EXPECT_NEAR(model.step.scalar("grad_norm"), norm, 2e-6 * norm);
    EXPECT_NEAR(normOf(after, p), 2, 1e-5);
    // One factor for all: the quotient does not vary.
    for (size_t i = 0; i < before.size(); ++i)
      EXPECT_NEAR(after[i] / before[i], 2 / norm, 1e-6 * 2 / norm);
  }
}

TEST(Conformance, E1_SmallGradientsStayBitForBit) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> small(0, 1e-4f);
  for (const char *type : {"0.5", "1.5", "2", "4", "inf"}) {
    SCOPED_TRACE(type);
    Linear model(std::string("--clip-norm=1000 --clip-norm-type=") + type);
    Numbers weight(100), bias(10, 0.002f);
    for (float &value : weight)
      value = small(random);
    EXPECT_TRUE(sameBits(model.clip(weight, bias), joined(weight, bias)));
  }
}

TEST(Conformance, E1_ClipGradValue) {
  Linear model("--clip-value=2.5");
  Numbers weight(100), bias(10, 2.0f);
  for (int i = 0; i < 100; ++i)
    weight[i] = float(i - 50) / 5;
  Numbers after = model.clip(weight, bias);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(after[i], std::min(std::max(weight[i], -2.5f), 2.5f));
  for (int i = 100; i < 110; ++i)
    EXPECT_EQ(after[i], 2.0f);
}

// By norm first, then by value: 30 and 40 have norm 50; 5 of it is 3 and 4.
TEST(Conformance, E1_NormThenValue) {
  Linear model("--clip-norm=5 --clip-value=3.5");
  Numbers weight(100, 0), bias(10, 0);
  weight[0] = 30;
  weight[1] = 40;
  Numbers after = model.clip(weight, bias);
  EXPECT_NEAR(after[0], 3, 1e-6);
  EXPECT_EQ(after[1], 3.5f);
}

TEST(Conformance, E1_ErrorIfNonfinite) {
  for (float bad : {kInf, -kInf, kNaN}) {
    CompiledStep step(kScalar, kSgd + "--clip-norm=1 --clip-nonfinite=error");
    step.set("w", {0.5f});
    step.run({{bad}});
    EXPECT_TRUE(step.flag("nonfinite_grad"));
    EXPECT_EQ(step.state("w")[0], 0.5f);
    EXPECT_EQ(step.counter("step"), 0);
    step.run({{0.25f}});
    EXPECT_FALSE(step.flag("nonfinite_grad"));
    EXPECT_EQ(step.counter("step"), 1);
    EXPECT_EQ(step.state("w")[0], 0.25f);
  }
}

// Without it, as torch: inf / inf is NaN, and so is what NaN is clipped to.
TEST(Conformance, E1_NonfiniteIsPropagated) {
  for (float bad : {kInf, kNaN})
    EXPECT_TRUE(std::isnan(clipOne("--clip-norm=1", bad)));
}

/// torch's coefficient at N = M = 1, in its f32: 0.999999.
constexpr float kAtTheBound = 1.0f / (1.0f + 1e-6f);

TEST(Conformance, E2_Coefficients) {
  // M = 1: N = 5, 1, 0.5, 0.
  EXPECT_EQ(clipOne("--clip-norm=1", 5) / 5, 0.19999996f);
  EXPECT_EQ(clipOne("--clip-norm=1", 1), kAtTheBound);
  EXPECT_EQ(clipOne("--clip-norm=1", 0.5f), 0.5f);
  EXPECT_EQ(clipOne("--clip-norm=1", 0), 0.0f);
}

// optax.clip_by_global_norm: no epsilon, and nothing within the bound.
TEST(Conformance, E2_Optax) {
  const std::string optax = "--clip-norm=1 --clip-formula=optax";
  EXPECT_EQ(clipOne(optax, 5), 1.0f);
  EXPECT_EQ(clipOne(optax, 1), 1.0f);
  EXPECT_EQ(clipOne(optax, 0.75f), 0.75f);
  EXPECT_EQ(clipOne(optax, 0), 0.0f);
  EXPECT_TRUE(std::isnan(clipOne(optax, kNaN)));
}

// Megatron's clip_grad_by_total_norm_fp32: only a coefficient below 1 counts,
// and a NaN is not below.
TEST(Conformance, E2_Megatron) {
  const std::string megatron = "--clip-norm=1 --clip-formula=megatron";
  EXPECT_EQ(clipOne(megatron, 5) / 5, 0.19999996f);
  EXPECT_EQ(clipOne(megatron, 1), kAtTheBound);
  EXPECT_EQ(clipOne(megatron, 0.5f), 0.5f);
  EXPECT_TRUE(std::isnan(clipOne(megatron, kNaN)));
}

// The bound is a norm of true gradients: the scale changes no bit.
TEST(Conformance, E8_ClipSeesUnscaledGradients) {
  for (const char *type : {"1", "1.5", "2", "inf"}) {
    SCOPED_TRACE(type);
    std::string options = std::string("--clip-norm=2 --clip-norm-type=") + type;
    Linear plain(options + " --loss-scale=1");
    Linear scaled(options + " --loss-scale=1024");
    Numbers weight = upToHundred(), bias(10, 0.001f);
    Numbers expected = plain.clip(weight, bias);
    EXPECT_TRUE(sameBits(scaled.clip(weight, bias), expected));
    EXPECT_EQ(scaled.step.scalar("grad_norm"), plain.step.scalar("grad_norm"));
  }
}
