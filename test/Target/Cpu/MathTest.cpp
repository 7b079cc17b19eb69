// The polynomials of the CPU target against the C library, in ulp.
#include "KernelFixture.h"
#include "MathFunctions.h"

#include <bit>
#include <cstring>
#include <random>

using namespace mpc::target;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Every exponent of both signs, subnormal ones too, with the ends of the
/// binade and some mantissas between; zeros, infinities, NaN.
template <typename Float, typename Bits> std::vector<Float> makeInputs() {
  constexpr int kMantissaBits = std::numeric_limits<Float>::digits - 1;
  constexpr Bits kMantissas = Bits(1) << kMantissaBits;
  constexpr Bits kExponents = Bits(1) << (8 * sizeof(Float) - kMantissaBits);
  std::mt19937_64 random(1);
  std::vector<Float> inputs;
  for (Bits upper = 0; upper < kExponents; ++upper) { // sign and exponent
    std::vector<Bits> mantissas = {0, 1, 2, kMantissas - 1};
    for (int bit = 2; bit < kMantissaBits; ++bit)
      mantissas.push_back(Bits(1) << bit);
    for (int i = 0; i < 128; ++i)
      mantissas.push_back(random() & (kMantissas - 1));
    for (Bits mantissa : mantissas)
      inputs.push_back(
          std::bit_cast<Float>(Bits(upper << kMantissaBits | mantissa)));
  }
  for (int i = -20000; i <= 20000; ++i) // Where most functions turn.
    inputs.push_back(Float(i) / 1024);
  inputs.resize(inputs.size() / 16 * 16 + 16, 1);
  return inputs;
}

class MathTest : public KernelFixture {
protected:
  /// `op` at `inputs`, of which there are a multiple of 16.
  template <typename Float>
  std::vector<Float> evaluate(const std::string &op, const char *type,
                              std::vector<Float> inputs,
                              const std::string &attributes = "",
                              const std::string &target = std::string(kV3)) {
    std::vector<Float> values(inputs.size());
    KernelFunction kernel = compile(
        makeUnaryKernel(op, type, int64_t(inputs.size()), attributes), target);
    EXPECT_NE(kernel, nullptr);
    void *args[] = {inputs.data(), values.data()};
    if (kernel)
      kernel(args, 0, 1);
    return values;
  }

  template <typename Float>
  std::vector<Float> evaluatePow(std::vector<Float> bases,
                                 std::vector<Float> exponents,
                                 const std::string &type) {
    std::vector<Float> values(bases.size());
    std::string memref =
        "memref<" + std::to_string(bases.size()) + "x" + type + ">";
    KernelFunction kernel = compile(
        "func.func @k(%x: " + memref + ", %y: " + memref + ", %r: " + memref +
        ", %lo: index, %hi: index) {\n"
        "  %c1 = arith.constant 1 : index\n"
        "  scf.for %i = %lo to %hi step %c1 {\n"
        "    %a = memref.load %x[%i] : " +
        memref + "\n    %b = memref.load %y[%i] : " + memref +
        "\n    %c = math.powf %a, %b : " + type +
        "\n    memref.store %c, %r[%i] : " + memref + "\n  }\n  return\n}\n");
    EXPECT_NE(kernel, nullptr);
    void *args[] = {bases.data(), exponents.data(), values.data()};
    if (kernel)
      kernel(args, 0, int64_t(bases.size()));
    return values;
  }

  /// Values of `op` in f64 at special points.
  std::vector<double> at(const std::string &op, std::vector<double> points) {
    points.resize(16);
    return evaluate<double>(op, "f64", points);
  }
};

/// `error` of a value and the exact one must not exceed `bound`.
template <typename Float, typename Exact, typename Error>
void expectWithin(const MathFunction &function, double bound, double least,
                  const std::vector<Float> &inputs,
                  const std::vector<Float> &values, Exact (*exactly)(Exact),
                  Error error) {
  double worst = 0;
  Float at = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Exact exact = exactly(Exact(inputs[i]));
    if (values[i] == 0 && std::fabs(exact) < least)
      continue;
    double distance = error(values[i], exact);
    if (distance > worst)
      worst = distance, at = inputs[i];
  }
  EXPECT_LE(worst, bound) << function.name << "(" << std::hexfloat << at << ")";
  ::testing::Test::RecordProperty(function.name, std::to_string(worst));
}

/// Those that `function` is of.
template <typename Float>
std::vector<Float> inputsOf(const MathFunction &function,
                            std::vector<Float> inputs) {
  if (function.ofNegative)
    for (Float &x : inputs)
      x = std::copysign(x, Float(-1));
  return inputs;
}

TEST_F(MathTest, FloatsOfAllExponentsAreWithinTheBounds) {
  auto all = makeInputs<float, uint32_t>();
  for (const MathFunction &function : getMathFunctions()) {
    auto inputs = inputsOf(function, all);
    expectWithin(function, function.ulps32, function.least32, inputs,
                 evaluate(function.op, "f32", inputs, function.attributes),
                 function.inDouble, [&](float value, double exact) {
                   return countError(function, value, exact);
                 });
  }
}

TEST_F(MathTest, DoublesOfAllExponentsAreWithinTheBounds) {
  auto all = makeInputs<double, uint64_t>();
  for (const MathFunction &function : getMathFunctions()) {
    auto inputs = inputsOf(function, all);
    expectWithin(function, function.ulps64, 0, inputs,
                 evaluate(function.op, "f64", inputs, function.attributes),
                 function.inLong, countUlps<double, long double>);
  }
}

/// exp of x - max(x), which a kernel's emitter knows to be at most 0 or NaN,
/// and of what has such a form: 0 where the formula has no exponent left, and 1
/// where it has no operand.
TEST_F(MathTest, ExpOfWhatIsNeverPositive) {
  auto inputs = makeInputs<float, uint32_t>();
  for (float &x : inputs)
    x = std::copysign(x, -1.0f);
  for (const char *attributes :
       {"{mpc.never_positive} ", "fastmath<afn> {mpc.never_positive} "}) {
    auto values = evaluate("math.exp", "f32", inputs, attributes);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] < -88)
        ASSERT_EQ(values[i], 0) << inputs[i];
      else if (inputs[i] == 0)
        ASSERT_EQ(values[i], 1);
  }
}

/// Where a few digits will do and 1 is added to erf, what is left of the result
/// on GELU's negative side is erfc: that is what the error is held to, with the
/// values of the C library. Nearer than half a unit of 1 no float comes.
TEST_F(MathTest, RoughErfIsOffByAFractionOfErfc) {
  std::vector<float> inputs;
  for (int i = -6 * 4096; i < 6 * 4096; ++i)
    inputs.push_back(float(i) / 4096);
  auto values = evaluate("math.erf", "f32", inputs, "fastmath<afn> ");
  long double worst = 0;
  float at = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    long double complement = std::erfc(std::fabs((long double)inputs[i]));
    // 1 - |erf| is exact in long double.
    long double error = std::fabs(1.0L - std::fabs(values[i]) - complement);
    long double share = error / (4.2e-6L * complement + 6e-8L);
    if (!(share <= worst))
      worst = share, at = inputs[i];
  }
  EXPECT_LE(worst, 1) << std::hexfloat << at;
  RecordProperty("of the bound", std::to_string(worst));
}

/// Where a few digits will do, too, kernels give the same bits on every
/// instruction set, and what is exact stays so.
TEST_F(MathTest, RoughFunctionsKeepExactValues) {
  std::vector<float> points = {
      0, -0.0f, float(kInf), -float(kInf), float(kNaN), 88.72283f, 1000, -1000};
  points.resize(16);
  auto exp = evaluate("math.exp", "f32", points, "fastmath<afn> ");
  EXPECT_EQ(exp[0], 1);
  EXPECT_EQ(exp[1], 1);
  EXPECT_EQ(exp[2], kInf);
  EXPECT_EQ(exp[3], 0);
  EXPECT_TRUE(std::isnan(exp[4]));
  EXPECT_EQ(exp[5], kInf); // The last finite one; no NaN.
  EXPECT_EQ(exp[6], kInf);
  EXPECT_EQ(exp[7], 0);
  auto erf = evaluate("math.erf", "f32", points, "fastmath<afn> ");
  EXPECT_TRUE(erf[0] == 0 && !std::signbit(erf[0]));
  EXPECT_TRUE(erf[1] == 0 && std::signbit(erf[1]));
  EXPECT_EQ(erf[2], 1);
  EXPECT_EQ(erf[3], -1);
  EXPECT_TRUE(std::isnan(erf[4]));
  EXPECT_EQ(erf[6], 1);
  EXPECT_EQ(erf[7], -1);
}

TEST_F(MathTest, FloatsHaveTheSameBitsOnAllInstructionSets) {
  auto all = makeInputs<float, uint32_t>();
  for (const MathFunction &function : getMathFunctions()) {
    auto inputs = inputsOf(function, all);
    auto values = evaluate(function.op, "f32", inputs, function.attributes);
    for (const std::string &target : machineTargets()) {
      auto others =
          evaluate(function.op, "f32", inputs, function.attributes, target);
      EXPECT_EQ(std::memcmp(values.data(), others.data(),
                            values.size() * sizeof(float)),
                0)
          << function.name << " on " << target;
    }
  }
}

TEST_F(MathTest, SpecialValues) {
  auto exp = at("math.exp", {0, kInf, -kInf, kNaN, 800, -800});
  EXPECT_EQ(exp[0], 1);
  EXPECT_EQ(exp[1], kInf);
  EXPECT_EQ(exp[2], 0);
  EXPECT_TRUE(std::isnan(exp[3]));
  EXPECT_EQ(exp[4], kInf);
  EXPECT_EQ(exp[5], 0);
  auto log = at("math.log", {0, kInf, -1, kNaN, 1, 0x1p-1074});
  EXPECT_EQ(log[0], -kInf);
  EXPECT_EQ(log[1], kInf);
  EXPECT_TRUE(std::isnan(log[2]));
  EXPECT_TRUE(std::isnan(log[3]));
  EXPECT_EQ(log[4], 0);
  EXPECT_NEAR(log[5], std::log(0x1p-1074), 1e-12);
  auto tanh = at("math.tanh", {0, kInf, -kInf, kNaN});
  EXPECT_EQ(tanh[1], 1);
  EXPECT_EQ(tanh[2], -1);
  EXPECT_TRUE(std::isnan(tanh[3]));
  auto expm1 = at("math.expm1", {-0.0, kInf, -kInf, kNaN, 800, 0x1p-1074});
  EXPECT_TRUE(expm1[0] == 0 && std::signbit(expm1[0]));
  EXPECT_EQ(expm1[1], kInf);
  EXPECT_EQ(expm1[2], -1);
  EXPECT_TRUE(std::isnan(expm1[3]));
  EXPECT_EQ(expm1[4], kInf);
  EXPECT_EQ(expm1[5], 0x1p-1074);
  auto log1p = at("math.log1p", {-0.0, kInf, -1, kNaN, -2, 0x1p-1074});
  EXPECT_TRUE(log1p[0] == 0 && std::signbit(log1p[0]));
  EXPECT_EQ(log1p[1], kInf);
  EXPECT_EQ(log1p[2], -kInf);
  EXPECT_TRUE(std::isnan(log1p[3]));
  EXPECT_TRUE(std::isnan(log1p[4]));
  EXPECT_EQ(log1p[5], 0x1p-1074);
  auto sin = at("math.sin", {-0.0, kInf, -kInf, kNaN, 0x1p-1074});
  EXPECT_TRUE(sin[0] == 0 && std::signbit(sin[0]));
  EXPECT_EQ(sin[4], 0x1p-1074);
  auto cos = at("math.cos", {-0.0, kInf, -kInf, kNaN});
  EXPECT_EQ(cos[0], 1);
  for (int i : {1, 2, 3})
    EXPECT_TRUE(std::isnan(sin[i]) && std::isnan(cos[i]));
  auto erf = at("math.erf", {0, kInf, -kInf, kNaN, 20, -20, 1e20, -1e20});
  EXPECT_TRUE(std::isnan(erf[3]));
  for (int i : {1, 4, 6})
    EXPECT_EQ(erf[i], 1);
  for (int i : {2, 5, 7})
    EXPECT_EQ(erf[i], -1);
}

TEST_F(MathTest, ErfAndTanhStayWithinOne) {
  auto doubles = makeInputs<double, uint64_t>();
  auto floats = makeInputs<float, uint32_t>();
  for (const char *op : {"math.erf", "math.tanh"}) {
    for (double value : evaluate(op, "f64", doubles))
      EXPECT_FALSE(std::fabs(value) > 1) << op;
    for (float value : evaluate(op, "f32", floats))
      EXPECT_FALSE(std::fabs(value) > 1) << op;
  }
}

template <typename Float> struct PowInputs {
  std::vector<Float> bases, exponents;

  void add(double base, double exponent) {
    bases.push_back(Float(base));
    exponents.push_back(Float(exponent));
  }
};

/// Special values in all pairs, and for bases of every binade exponents that
/// lead to results of every binade, some of them whole, for bases below 0.
template <typename Float> PowInputs<Float> makePowInputs() {
  using Limits = std::numeric_limits<Float>;
  PowInputs<Float> inputs;
  for (double x : {-3., -1., -0.5, -0., 0., 0.3, 1., 2., 7.5, kInf, -kInf, kNaN,
                   double(Limits::denorm_min()), double(Limits::max())})
    for (double y : {-4., -3., -1.5, 0., -0., 0.5, 1., 2., 3., 20., kInf, -kInf,
                     kNaN, double(Limits::denorm_min()), double(Limits::max())})
      inputs.add(x, y);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> mantissa(1, 2), unit(-1, 1);
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent;
       ++e)
    for (int i = 0; i < 64; ++i) {
      auto base = Float(std::ldexp(mantissa(random), e));
      double wanted = Limits::max_exponent * 1.1 * unit(random); // log2 of it
      double exponent = wanted / std::log2(double(base));
      inputs.add(base, exponent);
      inputs.add(-base, std::round(exponent));
      // Bases near 1, of which the logarithm is small.
      double small = 1 + std::ldexp(unit(random), -i % (Limits::digits - 2));
      inputs.add(small, wanted / std::log2(double(Float(small))));
    }
  return inputs;
}

TEST_F(MathTest, PowOfFloatsOfAllExponents) {
  auto [x, y] = makePowInputs<float>();
  auto values = evaluatePow(x, y, "f32");
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_LE(countUlps(values[i], std::pow(double(x[i]), double(y[i]))),
              kPowUlps32)
        << std::hexfloat << x[i] << "^" << y[i];
}

TEST_F(MathTest, PowOfDoublesOfAllExponents) {
  using Long = long double;
  auto [x, y] = makePowInputs<double>();
  auto values = evaluatePow(x, y, "f64");
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double ulps = countUlps(values[i], std::pow(Long(x[i]), Long(y[i])));
    EXPECT_LE(ulps, kPowUlps64) << std::hexfloat << x[i] << "^" << y[i];
    worst = std::max(worst, ulps);
  }
  RecordProperty("pow", std::to_string(worst));
}

} // namespace
