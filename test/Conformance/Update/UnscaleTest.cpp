// D1, D4, D13, D19: scaled gradients, unscaled and checked by a compiled step.
// Expected values are those of torch.amp.GradScaler's formulas, written down
// here in plain C++ and sharing nothing with the compiler:
//
//   scaled   = gradient * scale                     in the gradient's type
//   inverse  = f32(1 / f64(scale))
//   unscaled = scaled * inverse                     in the gradient's type
//   found    = some element of some scaled gradient is not finite
#include "CompiledStep.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace mpc::conformance;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();
const float kBad[] = {kInf, -kInf, std::nanf("")};

/// The gradient of one parameter.
struct Gradient {
  std::vector<double> values;
  bool isWide = false; ///< f64, else f32.
};

Gradient filled(size_t size, float value, bool isWide = false) {
  return {std::vector<double>(size, value), isWide};
}

double roundTo(const Gradient &type, double value) {
  return type.isWide ? value : static_cast<float>(value);
}

/// Whether GradScaler finds an inf or NaN; if not, `gradients` become what it
/// hands to the optimizer.
bool unscaleAsTorch(float scale, std::vector<Gradient> &gradients) {
  auto inverse = static_cast<float>(1 / static_cast<double>(scale));
  bool found = false;
  for (Gradient &gradient : gradients)
    for (double &value : gradient.values) {
      value = roundTo(gradient, value * scale);
      found |= !std::isfinite(value);
      value = roundTo(gradient, value * inverse);
    }
  return found;
}

/// A step whose loss is the sum of x_i * w_i, so that the gradient of w_i is
/// the input x_i. From w_i = 0, SGD with learning rate 1 leaves what it was
/// given, negated.
class GradientStep {
public:
  explicit GradientStep(const std::vector<Gradient> &shapes)
      : shapes(shapes), step(model(), "--optimizer=sgd --lr=1 --loss-scale=1") {
  }
  bool ok() const { return step.ok(); }

  /// Runs the step and compares it with torch; whether it found inf or NaN.
  bool check(float scale, const std::vector<Gradient> &gradients) {
    step.set("scaler.scale", Numbers{scale});
    run(gradients);
    bool found = step.flag("found_inf");
    std::vector<Gradient> expected = gradients;
    EXPECT_EQ(found, unscaleAsTorch(scale, expected)) << "scale " << scale;
    for (size_t i = 0; i < expected.size(); ++i) {
      std::vector<double> taken = parameter(i);
      for (size_t k = 0; k < taken.size(); ++k) {
        double wanted = found ? 0 : expected[i].values[k];
        if (taken[k] == -wanted)
          continue;
        ADD_FAILURE() << "scale " << scale << ": element " << k
                      << " of gradient " << i << ": expected " << wanted
                      << ", but got " << -taken[k];
        break;
      }
    }
    if (!found)
      reset();
    return found;
  }

private:
  std::string typeOf(size_t i) const {
    return "tensor<" + std::to_string(shapes[i].values.size()) +
           (shapes[i].isWide ? "xf64>" : "xf32>");
  }

  std::string model() const {
    std::string inputs, parameters, body, total;
    for (size_t i = 0; i < shapes.size(); ++i) {
      std::string n = std::to_string(i), type = typeOf(i);
      std::string scalar = shapes[i].isWide ? "tensor<f64>" : "tensor<f32>";
      inputs += "%x" + n + ": " + type + " {graph.input = \"x" + n + "\"}, ";
      parameters += (i ? ", %w" : "%w") + n + ": " + type +
                    " {graph.parameter = \"w" + n +
                    "\", graph.init = #graph.zeros}";
      body += "  %p" + n + " = graph.mul %x" + n + ", %w" + n + " : (" + type +
              ", " + type + ") -> " + type + "\n  %s" + n + " = graph.sum %p" +
              n + " dims = [0] : (" + type + ") -> " + scalar + "\n  %l" + n +
              " = graph.cast %s" + n + " : (" + scalar + ") -> tensor<f32>\n";
      std::string sum = "%t" + n;
      if (i)
        body += "  " + sum + " = graph.add " + total + ", %l" + n +
                " : (tensor<f32>, tensor<f32>) -> tensor<f32>\n";
      total = i ? sum : "%l" + n;
    }
    return "func.func @gradients(" + inputs + parameters +
           ") -> (tensor<f32> {graph.loss}) {\n" + body + "  return " + total +
           " : tensor<f32>\n}\n";
  }

  void run(const std::vector<Gradient> &gradients) {
    std::vector<Numbers> narrow(gradients.size());
    std::vector<mpc_input> inputs;
    for (size_t i = 0; i < gradients.size(); ++i) {
      const std::vector<double> &values = gradients[i].values;
      narrow[i].assign(values.begin(), values.end());
      if (gradients[i].isWide)
        inputs.push_back({values.data(), values.size() * sizeof(double)});
      else
        inputs.push_back({narrow[i].data(), values.size() * sizeof(float)});
    }
    step.run(inputs);
  }

  std::vector<double> parameter(size_t i) const {
    std::string name = "w" + std::to_string(i);
    if (shapes[i].isWide)
      return step.wideState(name);
    Numbers values = step.state(name);
    return {values.begin(), values.end()};
  }

  void reset() {
    for (size_t i = 0; i < shapes.size(); ++i) {
      std::string name = "w" + std::to_string(i);
      if (shapes[i].isWide)
        step.setWide(name, std::vector<double>(shapes[i].values.size()));
      else
        step.set(name, Numbers(shapes[i].values.size()));
    }
  }

  std::vector<Gradient> shapes;
  CompiledStep step;
};

} // namespace

// torch test_grad_scaling_unscale: inv_scale 0.25 on scaled gradients of 4, in
// f32 and f64; inf and NaN at [2, 2].
TEST(D1, UnscaleFours) {
  for (size_t size : {10, 20}) {
    Gradient ones = filled(size * size, 1);
    std::vector<Gradient> clean{ones, filled(size * size, 1, true), ones};
    GradientStep step(clean);
    ASSERT_TRUE(step.ok());
    EXPECT_FALSE(step.check(4, clean));
    for (float bad : kBad)
      for (size_t i = 0; i < clean.size(); ++i) {
        std::vector<Gradient> spoiled = clean;
        spoiled[i].values[2 * size + 2] = bad;
        EXPECT_TRUE(step.check(4, spoiled));
      }
    EXPECT_FALSE(step.check(4, clean));
  }
}

// Any scale: not a power of two, its inverse rounds, and so does each product.
TEST(D1, UnscaleRandom) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<Gradient> gradients{filled(333, 0), filled(77, 0, true)};
  GradientStep step(gradients);
  ASSERT_TRUE(step.ok());
  for (int round = 0; round < 50; ++round) {
    for (Gradient &gradient : gradients)
      for (double &value : gradient.values)
        value =
            roundTo(gradient, normal(random) * std::exp(4 * normal(random)));
    auto scale = static_cast<float>(std::exp2(8 * normal(random)));
    EXPECT_FALSE(step.check(scale, gradients));
  }
}

// torch test_grad_scaling_scale and FSDP's sharded scaler (D11): a loss is
// multiplied by the scale, 2 by 4, 8 and 4 by 2. A step scales the gradients of
// its loss and says the loss as it is; that the factor is the scale, to the
// last bit, shows at the largest gradient that stays finite under it.
TEST(D4, ScaleALoss) {
  GradientStep step({filled(1, 0)});
  ASSERT_TRUE(step.ok());
  for (float scale : {4.0f, 2.0f, 65536.0f, 3.0f, 1.7f, 1000.1f}) {
    float largest = kMax / scale;
    while (std::isinf(largest * scale))
      largest = std::nextafter(largest, 0.0f);
    while (std::isfinite(std::nextafter(largest, kInf) * scale))
      largest = std::nextafter(largest, kInf);
    for (float sign : {1.0f, -1.0f}) {
      EXPECT_FALSE(step.check(scale, {filled(1, sign * largest)}));
      EXPECT_TRUE(
          step.check(scale, {filled(1, sign * std::nextafter(largest, kInf))}));
    }
  }
}

// Apex test_multi_tensor_scale: scaled gradients of 4 under scale 4, inf and
// NaN at the first, the middle and the last element of each tensor.
TEST(D13, UnscaleManySizes) {
  std::vector<Gradient> gradients;
  for (size_t size :
       {7777 * 3, 777, 555, 2048 * 32 - 1, 2048 * 32, 2048 * 32 + 1, 33333})
    gradients.push_back(filled(size, 1));
  GradientStep step(gradients);
  ASSERT_TRUE(step.ok());
  EXPECT_FALSE(step.check(4, gradients));
  for (Gradient &gradient : gradients)
    for (size_t at :
         {size_t(0), gradient.values.size() / 2, gradient.values.size() - 1})
      for (float bad : {kInf, std::nanf("")}) {
        gradient.values[at] = bad;
        EXPECT_TRUE(step.check(4, gradients)) << at;
        gradient.values[at] = 1;
      }
  EXPECT_FALSE(step.check(4, gradients));
}

// ORT: MixedPrecisionScale by 0.1 of 1 to 7, IsFinite and IsAllFinite.
TEST(D19, MixedPrecisionScale) {
  Gradient seven = filled(7, 0);
  for (int i = 0; i < 7; ++i) {
    seven.values[i] = static_cast<float>(i + 1) / 10;
    ASSERT_EQ(static_cast<float>(seven.values[i]) * 10, i + 1);
  }
  GradientStep scale({seven});
  ASSERT_TRUE(scale.ok());
  EXPECT_FALSE(scale.check(10, {seven}));

  GradientStep check({filled(3, 0), filled(2, 0)});
  ASSERT_TRUE(check.ok());
  Gradient three{{1, 2, 3}}, two{{1, -3e38f}};
  EXPECT_FALSE(check.check(1, {three, two}));
  EXPECT_TRUE(check.check(1, {{{kInf, 1, 2}}, two}));
  EXPECT_TRUE(check.check(1, {three, {{1, std::nanf("")}}}));
  EXPECT_TRUE(check.check(1, {three, {{1, -kInf}}}));
}
