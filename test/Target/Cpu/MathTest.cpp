// The polynomials of the CPU target against the C library, in ulp.
#include "KernelFixture.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace mpc::target;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Distance in units in the last place; 0 if both are NaN or equal.
template <typename Float, typename Bits> double ulps(Float x, Float y) {
  if (x == y || (std::isnan(x) && std::isnan(y)))
    return 0;
  if (!std::isfinite(x) || !std::isfinite(y))
    return kInf;
  auto order = [](Float value) {
    Bits bits = std::bit_cast<Bits>(value);
    return bits < 0 ? std::numeric_limits<Bits>::min() - bits : bits;
  };
  return std::abs(double(__int128(order(x)) - __int128(order(y))));
}

std::string unaryKernel(const std::string &op, const std::string &type) {
  return "func.func @k(%x: memref<16x" + type + ">, %y: memref<16x" + type +
         ">, %lo: index, %hi: index) {\n"
         "  %c0 = arith.constant 0 : index\n"
         "  %v = vector.load %x[%c0] : memref<16x" +
         type + ">, vector<16x" + type + ">\n  %r = " + op +
         " %v : vector<16x" + type +
         ">\n  vector.store %r, %y[%c0] : memref<16x" + type + ">, vector<16x" +
         type + ">\n  return\n}\n";
}

class MathTest : public KernelFixture {
protected:
  /// Largest error in ulp over [low, high] and some special values.
  template <typename Float, typename Bits>
  double worst(const std::string &op, const std::string &type,
               double (*reference)(double), double low, double high) {
    KernelFunction kernel = compile(unaryKernel(op, type));
    EXPECT_NE(kernel, nullptr);
    if (!kernel)
      return kInf;
    double worst = 0;
    constexpr int kPoints = 4096;
    for (int i = 0; i < kPoints; i += 16) {
      Float x[16], y[16];
      for (int j = 0; j < 16; ++j)
        x[j] = Float(low + (high - low) * (i + j) / (kPoints - 1));
      void *args[] = {x, y};
      kernel(args, 0, 1);
      for (int j = 0; j < 16; ++j)
        worst =
            std::max(worst, ulps<Float, Bits>(y[j], Float(reference(x[j]))));
    }
    return worst;
  }

  /// Values of `op` in f64 at special points.
  std::vector<double> at(const std::string &op, std::vector<double> points) {
    points.resize(16);
    std::vector<double> values(16);
    KernelFunction kernel = compile(unaryKernel(op, "f64"));
    void *args[] = {points.data(), values.data()};
    kernel(args, 0, 1);
    return values;
  }
};

TEST_F(MathTest, DoublesAreWithinAFewUlps) {
  using I = int64_t;
  EXPECT_LE((worst<double, I>("math.exp", "f64", std::exp, -745, 709)), 3);
  EXPECT_LE((worst<double, I>("math.log", "f64", std::log, 1e-300, 10)), 3);
  EXPECT_LE((worst<double, I>("math.log", "f64", std::log, 0.5, 1.5)), 3);
  EXPECT_LE((worst<double, I>("math.tanh", "f64", std::tanh, -20, 20)), 4);
  EXPECT_LE((worst<double, I>("math.tanh", "f64", std::tanh, -1e-3, 1e-3)), 4);
  EXPECT_LE((worst<double, I>("math.erf", "f64", std::erf, -6.5, 6.5)), 64);
  EXPECT_LE((worst<double, I>("math.erf", "f64", std::erf, -1e-3, 1e-3)), 4);
}

TEST_F(MathTest, FloatsAreWithinTheDocumentedBounds) {
  using I = int32_t;
  EXPECT_LE((worst<float, I>("math.exp", "f32", std::exp, -87, 88)), 2);
  EXPECT_LE((worst<float, I>("math.log", "f32", std::log, 1e-30, 100)), 2);
  EXPECT_LE((worst<float, I>("math.tanh", "f32", std::tanh, -10, 10)), 6);
  EXPECT_LE((worst<float, I>("math.erf", "f32", std::erf, -5, 5)), 6);
}

TEST_F(MathTest, ExpOfFloatsAtTheEnds) {
  KernelFunction kernel = compile(unaryKernel("math.exp", "f32"));
  ASSERT_NE(kernel, nullptr);
  float inf = float(kInf);
  float x[16] = {0,    -0.0f,       88.72283f, 88.7229f, inf,
                 -inf, float(kNaN), -87.3f,    -200,     200};
  float y[16];
  void *args[] = {x, y};
  kernel(args, 0, 1);
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[1], 1);
  EXPECT_LE((ulps<float, int32_t>(y[2], std::exp(x[2]))), 2);
  EXPECT_EQ(y[3], inf);
  EXPECT_EQ(y[4], inf);
  EXPECT_EQ(y[5], 0);
  EXPECT_TRUE(std::isnan(y[6]));
  EXPECT_LE((ulps<float, int32_t>(y[7], std::exp(x[7]))), 2);
  EXPECT_EQ(y[8], 0);
  EXPECT_EQ(y[9], inf);
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
  auto erf = at("math.erf", {0, kInf, -kInf, kNaN});
  EXPECT_NEAR(erf[1], 1, 1e-15);
  EXPECT_NEAR(erf[2], -1, 1e-15);
  EXPECT_TRUE(std::isnan(erf[3]));
}

TEST_F(MathTest, PowMatchesC) {
  for (const char *type : {"f64", "f32"}) {
    bool isDouble = std::string(type) == "f64";
    std::string t = type;
    KernelFunction kernel = compile(
        "func.func @k(%x: memref<" + t + ">, %y: memref<" + t +
        ">, %r: memref<" + t +
        ">, %lo: index, %hi: index) {\n %a = memref.load %x[] : memref<" + t +
        ">\n %b = memref.load %y[] : memref<" + t +
        ">\n %c = math.powf %a, %b : " + t +
        "\n memref.store %c, %r[] : memref<" + t + ">\n return\n}\n");
    ASSERT_NE(kernel, nullptr);
    const double bases[] = {-3, -1, -0.5, -0.0, 0,     0.3,
                            1,  2,  7.5,  kInf, -kInf, kNaN};
    const double exponents[] = {-4, -3, -1.5, 0,    0.5,   1,
                                2,  3,  20,   kInf, -kInf, kNaN};
    for (double x : bases)
      for (double y : exponents) {
        double r64;
        float x32 = float(x), y32 = float(y), r32;
        void *args64[] = {&x, &y, &r64};
        void *args32[] = {&x32, &y32, &r32};
        kernel(isDouble ? args64 : args32, 0, 1);
        if (isDouble)
          EXPECT_LE((ulps<double, int64_t>(r64, std::pow(x, y))), 64)
              << x << "^" << y;
        else
          EXPECT_LE((ulps<float, int32_t>(
                        r32, float(std::pow(double(x32), double(y32))))),
                    1)
              << x << "^" << y;
      }
  }
}

} // namespace
