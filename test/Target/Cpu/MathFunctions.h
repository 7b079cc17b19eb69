// The functions that the CPU target computes itself, their exact values, and
// how far from them it may be: the table of docs/Precision.md ("Functions
// inside kernels"). Tests sample it; build/bench/MathErrors tries all of f32.
#ifndef MPC_TEST_TARGET_CPU_MATHFUNCTIONS_H
#define MPC_TEST_TARGET_CPU_MATHFUNCTIONS_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace mpc::target {

struct MathFunction {
  const char *name;
  const char *op;
  double (*inDouble)(double);         ///< Exact enough for f32,
  long double (*inLong)(long double); ///< and for f64.
  double ulps32, ulps64;              ///< The bounds.
  /// The smallest result that is not 0: below it f32 results may be 0.
  double least32 = 0;
  /// What the kernel says of the op.
  const char *attributes = "";
  /// Inputs are made negative, or -0.
  bool ofNegative = false;
  /// What `ulps32` counts, if not units in the last place.
  double unit32 = 0;
};

inline std::span<const MathFunction> getMathFunctions() {
  static const MathFunction functions[] = {
      {"exp", "math.exp", std::exp, std::exp, 1, 3, 0x1p-126},
      {"log", "math.log", std::log, std::log, 1, 3},
      {"expm1", "math.expm1", std::expm1, std::expm1, 1.5, 3},
      {"log1p", "math.log1p", std::log1p, std::log1p, 1.6, 3},
      {"sin", "math.sin", std::sin, std::sin, 1, 3},
      {"cos", "math.cos", std::cos, std::cos, 1, 3},
      {"tanh", "math.tanh", std::tanh, std::tanh, 5, 4},
      {"erf", "math.erf", std::erf, std::erf, 5, 32},
      {"rsqrt", "math.rsqrt", [](double x) { return 1 / std::sqrt(x); },
       [](long double x) { return 1 / std::sqrt(x); }, 1.5, 1.5},
      {"sqrt", "math.sqrt", std::sqrt, std::sqrt, 0.5, 0.5},
      {"exp of negative", "math.exp", std::exp, std::exp, 1, 3, 0x1p-126,
       "{mpc.never_positive} ", true},
      // Where a few digits will do: 168 units are 1e-5 of a result at least.
      {"rough exp", "math.exp", std::exp, std::exp, 168, 3, 0x1p-126,
       "fastmath<afn> "},
      {"rough exp of negative", "math.exp", std::exp, std::exp, 84, 3, 0x1p-126,
       "fastmath<afn> {mpc.never_positive} ", true},
      {"rough erf", "math.erf", std::erf, std::erf, 5, 32, 0, "fastmath<afn> ",
       false, 1e-6},
  };
  return functions;
}

constexpr double kPowUlps32 = 1, kPowUlps64 = 2;

/// The distance between floats of the binade of `exact`, in Float.
template <typename Float, typename Exact> Exact ulpOf(Exact exact) {
  using Limits = std::numeric_limits<Float>;
  int exponent = exact == 0
                     ? Limits::min_exponent - 1
                     : std::clamp(std::ilogb(exact), Limits::min_exponent - 1,
                                  Limits::max_exponent - 1);
  return std::ldexp(Exact(1), exponent - Limits::digits + 1);
}

/// The distance of `actual` from `exact` in units in the last place of `exact`
/// as a Float; infinity counts as the power of two after the largest float.
/// Infinite if one of them alone is NaN, or negative where `exact` is not 0.
template <typename Float, typename Exact>
double countUlps(Float actual, Exact exact) {
  if (std::isnan(actual) || std::isnan(exact))
    return std::isnan(actual) && std::isnan(exact)
               ? 0
               : std::numeric_limits<double>::infinity();
  Exact behind = std::ldexp(Exact(1), std::numeric_limits<Float>::max_exponent);
  if (exact != 0 && std::signbit(actual) != std::signbit(exact))
    return std::numeric_limits<double>::infinity();
  Exact x = std::min(std::fabs(Exact(actual)), behind);
  Exact y = std::min(std::fabs(exact), behind);
  return double(std::fabs(x - y) / ulpOf<Float>(y));
}

/// How far `actual` is from `exact`, as `function.ulps32` counts it.
inline double countError(const MathFunction &function, float actual,
                         double exact) {
  if (function.unit32 == 0 || std::isnan(actual) || std::isnan(exact))
    return countUlps(actual, exact);
  return std::fabs(actual - exact) / function.unit32;
}

/// A kernel "k" that applies `op`, with `attributes`, to `count` elements, 16
/// at a time.
inline std::string makeUnaryKernel(const std::string &op,
                                   const std::string &type, int64_t count,
                                   const std::string &attributes = "") {
  std::string memref = "memref<" + std::to_string(count) + "x" + type + ">";
  std::string vector = "vector<16x" + type + ">";
  return "func.func @k(%x: " + memref + ", %y: " + memref +
         ", %lo: index, %hi: index) {\n"
         "  %c0 = arith.constant 0 : index\n"
         "  %n = arith.constant " +
         std::to_string(count) +
         " : index\n"
         "  %c16 = arith.constant 16 : index\n"
         "  scf.for %i = %c0 to %n step %c16 {\n"
         "    %v = vector.load %x[%i] : " +
         memref + ", " + vector + "\n    %r = " + op + " %v " + attributes +
         ": " + vector + "\n    vector.store %r, %y[%i] : " + memref + ", " +
         vector + "\n  }\n  return\n}\n";
}

} // namespace mpc::target

#endif // MPC_TEST_TARGET_CPU_MATHFUNCTIONS_H
