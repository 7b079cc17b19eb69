// A problem of attention as a call: its operands, and what they ought to give
// by the definition in f64. Sums are f32, rounded once, so an element may be
// off by half a unit of its type and a few f32 units of the largest; where
// products are of bf16, weights and slopes are rounded to it before they are
// multiplied.
#ifndef MPC_TEST_RUNTIME_ATTENTIONPROBLEM_H
#define MPC_TEST_RUNTIME_ATTENTIONPROBLEM_H

#include "../../lib/Runtime/Host/Calls/Attention/HostAttention.h"
#include "HandMade.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <random>

namespace mpc::test {

/// Least: floats, all of them the least finite one for the second query.
enum class Mask { None, Bool, Float, Least };

struct Spec {
  ElementType type = ElementType::F32;
  int64_t batch = 1, queries = 1, keys = 1, heads = 1, keyHeads = 1, width = 1,
          valueWidth = 1;
  bool causal = false;
  int64_t window = 0;
  double softcap = 0;
  Mask mask = Mask::None;
  bool isPacked = false; ///< query, key and value are parts of one tensor
  double dropout = 0;
  double size = 1; ///< standard deviation of operands

  double scale() const { return 1 / std::sqrt(double(width)); }
};

/// Where element [b, t, h, 0] lies.
struct Lies {
  int64_t begin = 0, batch = 0, time = 0, head = 0;
  int64_t at(int64_t b, int64_t t, int64_t h) const {
    return begin + b * batch + t * time + h * head;
  }
};

inline Lies dense(int64_t times, int64_t heads, int64_t width) {
  return {0, times * heads * width, heads * width, width};
}

/// With gaps between heads, times and batches.
inline Lies apart(int64_t times, int64_t heads, int64_t width) {
  int64_t head = width + 3, time = heads * head + 5;
  return {2, times * time + 7, time, head};
}

inline int64_t bytesOf(ElementType type) {
  return getInfo(static_cast<DType>(type)).bytes;
}

/// Elements of a type, and the doubles that they are.
struct Values {
  Values() = default;
  Values(ElementType type, int64_t count)
      : type(type), bytes(count * bytesOf(type)), exact(count) {}
  void set(int64_t i, double value) {
    auto put = [&](auto bits) {
      std::memcpy(bytes.data() + i * sizeof bits, &bits, sizeof bits);
    };
    float single = static_cast<float>(value);
    if (type == ElementType::I1)
      put(static_cast<uint8_t>(value != 0));
    else if (type == ElementType::F32)
      put(single);
    else
      put(type == ElementType::F16 ? floatToHalf(single)
                                   : floatToBFloat(single));
    exact[i] = get(i);
  }
  double get(int64_t i) const {
    float single;
    uint16_t half;
    if (type == ElementType::I1)
      return bytes[i];
    if (type == ElementType::F32)
      return std::memcpy(&single, bytes.data() + 4 * i, 4), single;
    std::memcpy(&half, bytes.data() + 2 * i, 2);
    return type == ElementType::F16 ? halfToFloat(half) : bfloatToFloat(half);
  }
  ElementType type = ElementType::F32;
  std::vector<uint8_t> bytes;
  std::vector<double> exact;
};

/// A problem, its operands, and what they ought to give.
class Problem {
public:
  Problem(const Spec &spec, uint32_t seed);
  void checkForward(const runtime::attention::HeadKernels &kernels);
  void checkBackward(const runtime::attention::HeadKernels &kernels);
  /// Each result without the others.
  void checkParts(const runtime::attention::HeadKernels &kernels);

private:
  double factor(int64_t b, int64_t h, int64_t i, int64_t j) const;
  double score(int64_t b, int64_t h, int64_t i, int64_t j, double &slope) const;
  void maskFirstQuery();
  void attend();
  void differentiate();
  /// Rows that a call writes, [batch, time, head, width].
  struct Written {
    program::OperandRole role;
    int64_t times, heads, width;
  };
  std::vector<Written> listWritten(bool backward) const;
  std::unique_ptr<CallT> makeCall(bool backward,
                                  Lies (*lie)(int64_t, int64_t, int64_t)) const;
  Values gather(const Values &from, const Written &rows,
                const Lies &lies) const;
  /// `only`: the one result that the call writes, of all if there is none.
  /// `lie`: how rows that it writes lie.
  std::vector<Values> run(const runtime::attention::HeadKernels &kernels,
                          bool backward, uint32_t threads,
                          std::optional<size_t> only = {},
                          Lies (*lie)(int64_t, int64_t, int64_t) = dense);
  void expectSameBits(const runtime::attention::HeadKernels &kernels,
                      bool backward, const std::vector<Values> &expected);
  void fill(Values &values);
  int64_t keyHead(int64_t h) const { return h / (spec.heads / spec.keyHeads); }
  /// Calls `visit` with each batch, head and query.
  template <typename Visit> void forEachQuery(Visit visit) const {
    for (int64_t b = 0; b < spec.batch; ++b)
      for (int64_t h = 0; h < spec.heads; ++h)
        for (int64_t i = 0; i < spec.queries; ++i)
          visit(b, h, i, (b * spec.heads + h) * spec.queries + i);
  }

  static constexpr uint32_t kStep = 7, kSeed = 0x80001234, kStream = 3;
  Spec spec;
  std::mt19937 random;
  Values packed, query, key, value, mask, result, logSum, cotangent;
  Lies q, k, v, y, dk, dv;
  std::vector<double> trueResult, trueLogSum, trueDq, trueDk, trueDv;
  /// The largest sum that is subtracted from another for trueDq and trueDk: all
  /// of both where there is one key.
  double cancelled = 0;
  /// The largest sum of the magnitudes that an element is the sum of.
  double resultTerms = 0, dqTerms = 0, dkTerms = 0, dvTerms = 0;
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_ATTENTIONPROBLEM_H
