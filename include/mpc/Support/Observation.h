// What is counted of the elements of one value: the row of numbers that
// `graph.observe` and `exec.observe` stand for, that the runtime writes and
// that mpc-run reads. No MLIR here.
//
// Exponent e of an element x is floor(log2 |x|), so a bin holds the magnitudes
// of [2^e, 2^(e+1)). Bins cover f32 with its subnormals; f64 values beyond it
// are counted in the first or the last bin.
#ifndef MPC_SUPPORT_OBSERVATION_H
#define MPC_SUPPORT_OBSERVATION_H

#include "mpc/Support/DType.h"

#include <array>
#include <cmath>
#include <span>

namespace mpc {

/// When rounding to nearest even, as IEEE 754 and the OCP 8-bit formats (OFP8,
/// revision 1.0, without saturation) do it, leaves the range of a format. Of a
/// magnitude m:
///   m > overflow, or m == overflow where a tie goes up: infinity, or NaN in
///   f8E4M3FN, which has none;
///   0 < m <= flush: zero, because half of the smallest subnormal ties to 0.
struct NarrowingLimits {
  double overflow, flush;
  bool tieOverflows;
  bool overflows(double magnitude) const {
    return magnitude > overflow || (tieOverflows && magnitude == overflow);
  }
  bool flushes(double magnitude) const {
    return magnitude != 0 && magnitude <= flush;
  }
};

/// The limits of a float format with 23 mantissa bits or fewer.
NarrowingLimits getNarrowingLimits(DType type);

/// The formats that observations count losses for, in the order of the row.
constexpr std::array kObservedFormats = {DType::F16, DType::BF16, DType::F8E4M3,
                                         DType::F8E5M2};
constexpr int kLowestExponent = -149, kHighestExponent = 127;
constexpr size_t kNumExponents = kHighestExponent - kLowestExponent + 1;

/// The numbers of one observation. Counts are exact up to 2^53.
struct Observation {
  double elements = 0;
  double infinite = 0, nan = 0, zeros = 0;
  double largest = 0;  ///< Magnitude of a finite element; 0 if there is none.
  double smallest = 0; ///< Not zero; 0 if there is none.
  /// Finite elements that would become infinite in each format, and those that
  /// are not zero but would become it.
  std::array<double, kObservedFormats.size()> overflow = {}, flush = {};
  std::array<double, kNumExponents> exponents = {};

  double nonFinite() const { return infinite + nan; }
  /// Counts one element.
  void add(double value);
  /// Adds what `other` has counted.
  void merge(const Observation &other);
};

/// How many numbers the row has: the fields above, in order.
constexpr size_t kObservedNumbers =
    6 + 2 * kObservedFormats.size() + kNumExponents;
static_assert(sizeof(Observation) == kObservedNumbers * sizeof(double));

/// Counts `count` elements of `type`, which is f64, f32, f16 or bf16.
Observation observe(DType type, const void *elements, size_t count);

/// Whether elements of `type` can be observed.
constexpr bool isObservable(DType type) {
  return type == DType::F64 || type == DType::F32 || type == DType::F16 ||
         type == DType::BF16;
}

} // namespace mpc

#endif // MPC_SUPPORT_OBSERVATION_H
