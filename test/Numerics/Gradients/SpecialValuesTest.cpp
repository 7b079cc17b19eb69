// Gradients where central differences say nothing: at kinks, ties, poles and
// for samples that do not count. Expected values are PyTorch's conventions
// (tools/autograd/derivatives.yaml), worked out by hand.
#include "StepFixture.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::gradients;
using namespace mpc::reference;

static constexpr double inf = std::numeric_limits<double>::infinity();

/// The loss is the sum of the elements of `y`, so the cotangent is 1.
static std::string sumOf(const std::string &arguments, const std::string &op,
                         const std::string &n) {
  std::string type = "tensor<" + n + "xf64>";
  return "func.func @f(" + arguments +
         ") -> (tensor<f64> {graph.loss}) {\n"
         "  %y = " +
         op +
         "\n"
         "  %loss = graph.sum %y dims = [0] : (" +
         type +
         ") -> tensor<f64>\n"
         "  return %loss : tensor<f64>\n}";
}

using Values = std::vector<double>;

/// Gradient of the sum of `op` of one operand at `x`.
static Values unary(const std::string &op, Values x,
                    const std::string &words = "") {
  std::string n = std::to_string(x.size()), type = "tensor<" + n + "xf64>";
  DifferentiatedModel model(sumOf("%x: " + type + " {graph.parameter = \"x\"}",
                                  "graph." + op + " %x" + words + " : " + type,
                                  n));
  auto results = model.runStep(
      {Tensor::real(DType::F64, {static_cast<int64_t>(x.size())}, x)});
  return results.at(1).reals;
}

/// Gradient of a reduction of all of `x` to one number.
static Values row(const std::string &op, Values x,
                  const std::string &words = "") {
  std::string n = std::to_string(x.size()), type = "tensor<" + n + "xf64>";
  DifferentiatedModel model(
      "func.func @f(%x: " + type +
      " {graph.parameter = \"x\"}) -> (tensor<f64> {graph.loss}) {\n"
      "  %y = graph." +
      op + " %x dims = [0]" + words + " : (" + type +
      ") -> tensor<f64>\n  return %y : tensor<f64>\n}");
  auto results = model.runStep(
      {Tensor::real(DType::F64, {static_cast<int64_t>(x.size())}, x)});
  return results.at(1).reals;
}

/// Gradients of the sum of `op` of two operands at `a` and `b`.
static std::pair<Values, Values> binary(const std::string &op, Values a,
                                        Values b) {
  std::string n = std::to_string(a.size()), type = "tensor<" + n + "xf64>";
  DifferentiatedModel model(sumOf(
      "%a: " + type + " {graph.parameter = \"a\"}, %b: " + type +
          " {graph.parameter = \"b\"}",
      "graph." + op + " %a, %b : (" + type + ", " + type + ") -> " + type, n));
  auto size = static_cast<int64_t>(a.size());
  auto results = model.runStep({Tensor::real(DType::F64, {size}, a),
                                Tensor::real(DType::F64, {size}, b)});
  return {results.at(1).reals, results.at(2).reals};
}

TEST(SpecialValues, kinksTakeTheSideOfZero) {
  EXPECT_EQ(unary("relu", {0, -1, 1}), (Values{0, 0, 1}));
  EXPECT_EQ(unary("abs", {0, -2, 2}), (Values{0, -1, 1}));
}

// As PyTorch 2.15 has them.
TEST(SpecialValues, kinksOfActivations) {
  EXPECT_EQ(unary("leaky_relu", {0, 1}), (Values{1e-2, 1}));
  EXPECT_EQ(unary("elu", {0, 1, -inf}), (Values{1, 1, 0}));
  EXPECT_EQ(unary("hardsigmoid", {-3, 3, 0}), (Values{0, 0, 1.0 / 6}));
  EXPECT_EQ(unary("hardswish", {-3, 3, 0}), (Values{0, 1, 0.5}));
  EXPECT_EQ(unary("softplus", {-inf, inf, 0}), (Values{0, 1, 0.5}));
  EXPECT_EQ(unary("silu", {800, -800, 0}), (Values{1, 0, 0.5}));
  EXPECT_EQ(unary("mish", {800, 0}), (Values{1, 0.6}));
  EXPECT_EQ(unary("round", {0.5, 2}), (Values{0, 0}));
}

// As PyTorch 2.15: strictly between the bounds.
TEST(SpecialValues, clampAtItsBounds) {
  EXPECT_EQ(unary("clamp", {-1, -2, 0, 1, 2}, " min = -1.0 max = 1.0"),
            (Values{0, 0, 1, 0, 0}));
  EXPECT_EQ(unary("clamp", {0, 2}, " min = 1.0 max = -1.0"), (Values{0, 0}));
}

// As torch.linalg.vector_norm at zero, and its subgradients elsewhere.
TEST(SpecialValues, normsOfZerosAreFlat) {
  for (const char *p : {"1.0", "1.5", "2.0", "3.0", "0.5", "inf"})
    EXPECT_EQ(row("norm", {0, 0, -0.0}, std::string(" p = ") + p),
              (Values{0, 0, 0}))
        << p;
  EXPECT_EQ(row("norm", {0, -2, 0}, " p = 1.0"), (Values{0, -1, 0}));
  EXPECT_EQ(row("norm", {0, -2, 0}), (Values{0, -1, 0}));
  EXPECT_EQ(row("norm", {2, 0, -2}, " p = inf"), (Values{0.5, 0, -0.5}));
}

TEST(SpecialValues, logsumexpOfInfinities) {
  EXPECT_EQ(row("logsumexp", {-inf, 0, 0}), (Values{0, 0.5, 0.5}));
  EXPECT_EQ(row("logsumexp", {800, -800, 800}), (Values{0.5, 0, 0.5}));
  EXPECT_TRUE(std::isnan(row("logsumexp", {-inf, -inf})[0]));
}

TEST(SpecialValues, minSharesTies) {
  EXPECT_EQ(row("min", {1, 3, 1}), (Values{0.5, 0, 0.5}));
}

// The shares of a row are one, however long and large it is: what is known of
// the sum in 16 bits would say 3 % more.
TEST(SpecialValues, logsumexpSharesOneInNarrowTypes) {
  for (auto [name, type] :
       {std::pair("f16", DType::F16), std::pair("bf16", DType::BF16)}) {
    std::string t = name;
    DifferentiatedModel model(
        "func.func @f(%x: tensor<64x" + t +
        "> {graph.parameter = \"x\"}) -> (tensor<f32> {graph.loss}) {\n"
        "  %0 = graph.logsumexp %x dims = [0] : (tensor<64x" +
        t + ">) -> tensor<" + t + ">\n  %y = graph.cast %0 : (tensor<" + t +
        ">) -> tensor<f32>\n  return %y : tensor<f32>\n}");
    auto results = model.runStep({Tensor::real(type, {64}, Values(64, 20.0))},
                                 Mode::Rounded);
    EXPECT_EQ(results.at(1).reals, Values(64, 1.0 / 64)) << name;
  }
}

// Of equal elements the first is taken, and so is the first NaN.
TEST(SpecialValues, maxWithIndexTakesTheFirst) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  DifferentiatedModel model(R"(
func.func @f(%x: tensor<2x4xf64> {graph.parameter = "x"}) -> (tensor<f64> {graph.loss}) {
  %i = graph.iota dim = 1 : tensor<2x4xi32>
  %y, %at = graph.max_with_index %x, %i dims = [1] : (tensor<2x4xf64>, tensor<2x4xi32>) -> (tensor<2xf64>, tensor<2xi32>)
  %loss = graph.sum %y dims = [0] : (tensor<2xf64>) -> tensor<f64>
  return %loss : tensor<f64>
})");
  auto results = model.runStep(
      {Tensor::real(DType::F64, {2, 4}, {1, 3, 3, 2, 5, nan, 7, nan})});
  EXPECT_EQ(results.at(1).reals, (Values{0, 1, 0, 0, 0, 1, 0, 0}));
}

TEST(SpecialValues, polesAreInfinite) {
  EXPECT_EQ(unary("sqrt", {0, 4}), (Values{inf, 0.25}));
  EXPECT_EQ(unary("log", {0, 4}), (Values{inf, 0.25}));
}

TEST(SpecialValues, quotientsWithTinyDivisors) {
  // 1 / b is infinite, but a / b is 0.
  auto [a, b] = binary("div", {0, 4}, {0x1p-1074, 2});
  EXPECT_EQ(a, (Values{inf, 0.5}));
  EXPECT_EQ(b, (Values{0, -1}));
}

TEST(SpecialValues, saturatedFunctionsAreFlat) {
  EXPECT_EQ(unary("tanh", {40, -40}), (Values{0, 0}));
  EXPECT_EQ(unary("sigmoid", {800, -800}), (Values{0, 0}));
  EXPECT_EQ(unary("gelu", {40, -40}), (Values{1, 0}));
  EXPECT_EQ(unary("gelu", {0}), (Values{0.5}));
}

TEST(SpecialValues, extremaShareTies) {
  auto [a, b] = binary("maximum", {1, 1, 2}, {1, 2, 1});
  EXPECT_EQ(a, (Values{0.5, 0, 1}));
  EXPECT_EQ(b, (Values{0.5, 1, 0}));
  auto [c, d] = binary("minimum", {1, 1, 2}, {1, 2, 1});
  EXPECT_EQ(c, (Values{0.5, 1, 0}));
  EXPECT_EQ(d, (Values{0.5, 0, 1}));
}

TEST(SpecialValues, maxSharesTies) {
  DifferentiatedModel model(R"(
func.func @f(%x: tensor<5xf64> {graph.parameter = "x"}) -> (tensor<f64> {graph.loss}) {
  %y = graph.max %x dims = [0] : (tensor<5xf64>) -> tensor<f64>
  return %y : tensor<f64>
})");
  auto results =
      model.runStep({Tensor::real(DType::F64, {5}, {1, 3, 2, 3, 3})});
  EXPECT_EQ(results.at(1).reals, (Values{0, 1. / 3, 0, 1. / 3, 1. / 3}));
}

// As torch.amax: (dy * [x = max]) / count, and nothing equals NaN. A step with
// a NaN loss must not look as if it had gradients.
TEST(SpecialValues, maxOfNanHasGradientNan) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::string t : {"f64", "f32", "f16"}) {
    DifferentiatedModel model(
        R"(
func.func @f(%x: tensor<3x2x)" +
        t + R"(> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.max %x dims = [1] : (tensor<3x2x)" +
        t + ">) -> tensor<3x" + t + R"(>
  %1 = graph.cast %0 : (tensor<3x)" +
        t + R"(>) -> tensor<3xf32>
  %y = graph.sum %1 dims = [0] : (tensor<3xf32>) -> tensor<f32>
  return %y : tensor<f32>
})");
    DType type = t == "f64" ? DType::F64 : t == "f32" ? DType::F32 : DType::F16;
    auto results =
        model.runStep({Tensor::real(type, {3, 2}, {nan, 1, 2, 3, -inf, -inf})});
    EXPECT_TRUE(std::isnan(results.at(0).reals[0]));
    const Values &dx = results.at(1).reals;
    EXPECT_TRUE(std::isnan(dx[0]) && std::isnan(dx[1])) << t;
    EXPECT_EQ(Values(dx.begin() + 2, dx.end()), (Values{0, 1, 0.5, 0.5})) << t;
  }
}

// d/db a^b = a^b log(a) is 0 for a = 0, b >= 0; d/da a^0 is 0 even at a = 0.
TEST(SpecialValues, powAtZero) {
  auto [a, b] = binary("pow", {0, 0, 0, 3}, {0, 1, 2, 0});
  EXPECT_EQ(a, (Values{0, 1, 0, 0}));
  EXPECT_EQ(b, (Values{0, 0, 0, std::log(3.)}));
}

// The loss of no sample is NaN, but no sample pulls at the logits.
TEST(SpecialValues, crossEntropyOfIgnoredSamples) {
  DifferentiatedModel model(R"(
func.func @f(%x: tensor<2x2xf64> {graph.parameter = "x"}, %label: tensor<2xi32> {graph.input = "label"})
    -> (tensor<f64> {graph.loss}) {
  %loss = graph.cross_entropy %x, %label : (tensor<2x2xf64>, tensor<2xi32>) -> tensor<f64>
  return %loss : tensor<f64>
})");
  Tensor x = Tensor::real(DType::F64, {2, 2}, {0, 0, 1, 2});
  auto none =
      model.runStep({x, Tensor::integer(DType::I32, {2}, {-100, -100})});
  EXPECT_TRUE(std::isnan(none.at(0).reals[0]));
  EXPECT_EQ(none.at(1).reals, (Values{0, 0, 0, 0}));
  auto one = model.runStep({x, Tensor::integer(DType::I32, {2}, {1, -100})});
  EXPECT_EQ(one.at(0).reals[0], std::log(2.));
  EXPECT_EQ(one.at(1).reals, (Values{0.5, -0.5, 0, 0}));
}

// Through f16 or bf16 in the middle, a gradient has the type of its parameter
// and the accuracy of the middle.
TEST(SpecialValues, mixedPrecisionKeepsTypes) {
  for (auto [name, type] :
       {std::pair("f16", DType::F16), std::pair("bf16", DType::BF16)}) {
    std::string t = name;
    DifferentiatedModel model(
        R"(
func.func @f(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x3xf32> {graph.parameter = "w"},
             %b: tensor<3xf32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.cast %x because "test" : (tensor<4x8xf32>) -> tensor<4x8x)" +
        t + R"(>
  %1 = graph.cast %w because "test" : (tensor<8x3xf32>) -> tensor<8x3x)" +
        t + R"(>
  %2 = graph.matmul %0, %1 : (tensor<4x8x)" +
        t + ">, tensor<8x3x" + t + ">) -> tensor<4x3x" + t + R"(>
  %3 = graph.cast %b because "test" : (tensor<3xf32>) -> tensor<3x)" +
        t + R"(>
  %4 = graph.add %2, %3 : (tensor<4x3x)" +
        t + ">, tensor<3x" + t + ">) -> tensor<4x3x" + t + R"(>
  %5 = graph.softmax %4 dim = 1 : (tensor<4x3x)" +
        t + ">) -> tensor<4x3x" + t + R"(>
  %6 = graph.cast %5 because "test" : (tensor<4x3x)" +
        t + R"(>) -> tensor<4x3xf32>
  %7 = graph.mul %6, %6 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %loss = graph.sum %7 dims = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
})");
    ASSERT_TRUE(model);
    auto arguments = makeInputs(model.forward(), {});
    auto exact = model.runStep(arguments);
    auto rounded = model.runStep(arguments, Mode::Rounded);
    double epsilon =
        std::ldexp(1, -static_cast<int>(getInfo(type).mantissaBits));
    for (size_t r : {1, 2}) {
      EXPECT_EQ(rounded[r].type, DType::F32);
      EXPECT_TRUE(compare(rounded[r], exact[r], 0, 8 * epsilon).within) << name;
      EXPECT_GT(compare(rounded[r], exact[r], 0, 0).largest, 0) << name;
    }
  }
}
