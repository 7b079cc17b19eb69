// Convolutions and their gradients for input and weight as calls, against the
// definition in f64: layouts, strides, zeros, dilations, groups, types; and the
// same bits on any number of threads.
#include "MatmulProblem.h"

#include <array>
#include <cmath>
#include <random>

using namespace mpc;
using namespace mpc::test;

namespace {
struct ConvolutionSpec {
  int64_t batch = 2, channels = 3, results = 4, groups = 1;
  Dims space = {6, 5}, kernel = {3, 3};
  Dims strides = {1, 1}, low = {0, 0}, high = {0, 0}, dilations = {1, 1};
  bool isLast = true; ///< channels last
  ElementType type = F32;
  bool isWide = false; ///< what is written is f32

  Dims resultSpace() const {
    Dims sizes;
    for (size_t dim = 0; dim < space.size(); ++dim)
      sizes.push_back((space[dim] + low[dim] + high[dim] -
                       dilations[dim] * (kernel[dim] - 1) - 1) /
                          strides[dim] +
                      1);
    return sizes;
  }
};

/// [a, b, space...] as a call has it, wherever its elements lie.
struct Operand {
  Operand(int64_t a, int64_t b, const Dims &space, bool isLast) : dims{a, b} {
    dims.insert(dims.end(), space.begin(), space.end());
    Dims order = {0};
    if (!isLast)
      order.push_back(1);
    for (size_t dim = 2; dim < dims.size(); ++dim)
      order.push_back(static_cast<int64_t>(dim));
    if (isLast)
      order.push_back(1);
    strides.resize(dims.size());
    int64_t dense = 1;
    for (size_t i = order.size(); i-- > 0; dense *= dims[order[i]])
      strides[order[i]] = dense;
  }
  Dims dims, strides;
};

enum Role { Input, Weight, Result };

class Problem {
public:
  explicit Problem(const ConvolutionSpec &spec)
      : spec(spec),
        operands{Operand(spec.batch, spec.channels, spec.space, spec.isLast),
                 Operand(spec.results, spec.channels / spec.groups, spec.kernel,
                         spec.isLast),
                 Operand(spec.batch, spec.results, spec.resultSpace(),
                         spec.isLast)} {}

  void check(Role written) {
    SCOPED_TRACE(written == Result  ? "convolution"
                 : written == Input ? "gradient of the input"
                                    : "gradient of the weight");
    std::vector<Values> values;
    for (const Operand &operand : operands)
      values.push_back(makeRandom(spec.type, countOf(operand.dims),
                                  static_cast<uint32_t>(values.size() + 1)));
    Values expected(values[written].type, countOf(operands[written].dims));
    std::vector<double> sizes = sum(values, written, true);
    expected.exact = sum(values, written, false);
    Values ours = run(values, written, 1);
    unsigned bits =
        getInfo(static_cast<DType>(spec.isWide ? F32 : spec.type)).mantissaBits;
    for (size_t i = 0; i < sizes.size(); ++i) {
      // Of a sum in f32 of so many terms, then of one rounding.
      double bound = sizes[i] * std::ldexp(8.0, spec.type == F64 ? -52 : -24) +
                     std::abs(expected.exact[i]) *
                         std::ldexp(1.0, -static_cast<int>(bits) - 1) +
                     1e-30;
      ASSERT_NEAR(ours.exact[i], expected.exact[i], bound) << "element " << i;
    }
    for (uint32_t threads : {2, 3, 7})
      EXPECT_EQ(ours.bytes, run(values, written, threads).bytes)
          << "other bits on " << threads << " threads";
  }
  void check() {
    for (Role written : {Input, Weight, Result})
      check(written);
  }

private:
  Values run(const std::vector<Values> &values, Role written,
             uint32_t threads) const {
    static constexpr OperandRole roles[] = {
        OperandRole::Input, OperandRole::Weight, OperandRole::Result};
    program::CallT call;
    program::ConvolutionT options;
    options.strides = spec.strides;
    options.low = spec.low;
    options.dilations = spec.dilations;
    options.groups = spec.groups;
    call.options.Set(std::move(options));
    ElementType writtenType = spec.isWide ? F32 : spec.type;
    for (size_t i = 0; i < 3; ++i) {
      auto operand = std::make_unique<program::CallOperandT>();
      operand->role = roles[i];
      operand->type = i == written ? writtenType : spec.type;
      operand->shape = operands[i].dims;
      operand->strides = operands[i].strides;
      operand->written = i == written;
      call.operands.push_back(std::move(operand));
    }
    Values result(writtenType, countOf(operands[written].dims));
    result.bytes =
        runCall(call,
                {values[Input].bytes.data(), values[Weight].bytes.data(),
                 values[Result].bytes.data()},
                result, threads);
    result.decode();
    return result;
  }

  /// The definition; with `ofSizes`, of absolute values.
  std::vector<double> sum(const std::vector<Values> &values, Role written,
                          bool ofSizes) const {
    std::vector<double> sums(countOf(operands[written].dims));
    int64_t groupChannels = spec.channels / spec.groups,
            groupResults = spec.results / spec.groups;
    Dims sizes = spec.resultSpace();
    for (int64_t n = 0; n < spec.batch; ++n)
      for (int64_t o = 0; o < spec.results; ++o)
        for (int64_t c = 0; c < groupChannels; ++c)
          for (int64_t p = 0; p < countOf(sizes); ++p)
            for (int64_t k = 0; k < countOf(spec.kernel); ++k) {
              Dims at = split(p, sizes), inside = split(k, spec.kernel), from;
              bool isIn = true;
              for (size_t dim = 0; dim < sizes.size(); ++dim) {
                from.push_back(at[dim] * spec.strides[dim] +
                               inside[dim] * spec.dilations[dim] -
                               spec.low[dim]);
                isIn &= from[dim] >= 0 && from[dim] < spec.space[dim];
              }
              if (!isIn)
                continue;
              size_t places[] = {
                  locate(Input, n, o / groupResults * groupChannels + c, from),
                  locate(Weight, o, c, inside), locate(Result, n, o, at)};
              double product = 1;
              for (size_t i = 0; i < 3; ++i)
                if (i != static_cast<size_t>(written))
                  product *= values[i].exact[places[i]];
              sums[places[written]] += ofSizes ? std::abs(product) : product;
            }
    return sums;
  }
  static Dims split(int64_t index, const Dims &sizes) {
    Dims made(sizes.size());
    for (size_t dim = sizes.size(); dim-- > 0; index /= sizes[dim])
      made[dim] = index % sizes[dim];
    return made;
  }
  size_t locate(Role role, int64_t a, int64_t b, const Dims &at) const {
    const Operand &operand = operands[role];
    int64_t index = a * operand.strides[0] + b * operand.strides[1];
    for (size_t dim = 0; dim < at.size(); ++dim)
      index += at[dim] * operand.strides[dim + 2];
    return static_cast<size_t>(index);
  }

  ConvolutionSpec spec;
  std::array<Operand, 3> operands;
};

constexpr ElementType kFloats[] = {F64, F32, BF16, F16};

/// In every type, channels first and last.
void checkAll(ConvolutionSpec spec) {
  for (ElementType type : kFloats)
    for (bool isLast : {true, false}) {
      spec.type = type;
      spec.isLast = isLast;
      SCOPED_TRACE(formatTensor(type, spec.space) +
                   (isLast ? ", channels last" : ", channels first"));
      Problem(spec).check();
    }
}
} // namespace

TEST(Convolution, OfTwoDims) { checkAll({}); }

TEST(Convolution, OfOneAndThreeDims) {
  checkAll({.space = {9},
            .kernel = {4},
            .strides = {2},
            .low = {1},
            .high = {2},
            .dilations = {1}});
  checkAll({.space = {4, 3, 5},
            .kernel = {2, 3, 2},
            .strides = {1, 1, 2},
            .low = {1, 0, 1},
            .high = {0, 1, 0},
            .dilations = {1, 1, 1}});
}

TEST(Convolution, StridesZerosAndDilations) {
  checkAll({.space = {9, 8},
            .strides = {2, 3},
            .low = {1, 1},
            .high = {1, 0},
            .dilations = {1, 2}});
  checkAll({.space = {7, 7}, .kernel = {1, 1}, .strides = {2, 2}});
  // Zeros on one side, more than the kernel is long, and a rest that no window
  // reaches.
  checkAll({.space = {6, 6}, .strides = {4, 4}, .low = {4, 0}, .high = {0, 5}});
}

TEST(Convolution, KernelLongerThanTheInput) {
  checkAll({.space = {2, 1}, .low = {1, 1}, .high = {1, 1}});
  checkAll({.batch = 1,
            .channels = 1,
            .results = 1,
            .space = {1, 1},
            .low = {1, 1},
            .high = {1, 1}});
}

TEST(Convolution, Groups) {
  checkAll({.channels = 6, .results = 9, .groups = 3});
  // Depthwise, and with two results for each channel.
  checkAll({.channels = 8, .results = 8, .groups = 8, .low = {1, 1}});
  checkAll({.channels = 4, .results = 8, .groups = 4});
}

TEST(Convolution, ManyImagesInPieces) {
  for (int64_t batch : {1, 16, 17, 35})
    checkAll({.batch = batch, .channels = 2, .results = 3, .space = {4, 4}});
}

/// As nets have them: what libraries have kernels for.
TEST(Convolution, ManyChannels) {
  for (int64_t channels : {16, 32})
    for (int64_t stride : {1, 2})
      checkAll({.batch = 2,
                .channels = channels,
                .results = 24,
                .space = {6, 5},
                .strides = {stride, stride},
                .low = {1, 1},
                .high = {1, 1}});
}

TEST(Convolution, WrittenAsF32) {
  for (ElementType type : {BF16, F16})
    for (bool isLast : {true, false})
      Problem({.channels = 8,
               .results = 8,
               .isLast = isLast,
               .type = type,
               .isWide = true})
          .check();
}
