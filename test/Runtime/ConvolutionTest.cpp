// Convolutions and their gradients for input and weight as calls, against the
// definition in f64: layouts, strides, zeros, dilations, groups, types; and the
// same bits on any number of threads.
#include "ConvolutionProblem.h"
#include "MatmulProblem.h"

using namespace mpc;
using namespace mpc::test;

namespace {
void check(const ConvolutionSpec &spec,
           std::span<const ConvolutionTensor> each = kConvolutionTensors) {
  for (ConvolutionTensor written : each) {
    SCOPED_TRACE(describe(spec, written));
    ConvolutionProblem problem(spec, written);
    auto run = [&](uint32_t threads) {
      Values result = problem.makeResult();
      std::vector<const void *> args;
      for (const Values &tensor : problem.tensors())
        args.push_back(tensor.bytes.data());
      result.bytes = runCall(problem.call(), args, result, threads);
      return result;
    };
    Values ours = run(1);
    ASSERT_LE(problem.worstError(ours), 1);
    for (uint32_t threads : {2, 3, 7})
      EXPECT_EQ(ours.bytes, run(threads).bytes)
          << "other bits on " << threads << " threads";
  }
}

constexpr ElementType kFloats[] = {F64, F32, BF16, F16};

/// In every type, channels first and last.
void checkAll(ConvolutionSpec spec) {
  for (ElementType type : kFloats)
    for (bool isLast : {true, false}) {
      spec.type = type;
      spec.isLast = isLast;
      check(spec);
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

/// Where oneDNN would take memory for all zeros between.
TEST(Convolution, DilationsFarBeyondTheInput) {
  checkAll({.kernel = {3, 2},
            .low = {1, 0},
            .high = {1, 1 << 28},
            .dilations = {1, 1 << 28}});
}

/// oneDNN does not write the gradient of a place that meets nothing else, in
/// bf16.
TEST(Convolution, PlacesOfTheKernelThatMeetZerosAlone) {
  checkAll({.batch = 1,
            .channels = 6,
            .results = 3,
            .space = {7, 1},
            .kernel = {2, 2},
            .strides = {1, 2},
            .low = {1, 1},
            .high = {1, 0}});
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

/// Where the weight's gradient is cut by channels, too, and its layout is made
/// in parts: also of numbers that no cut divides.
TEST(Convolution, ChannelsInPieces) {
  for (ElementType type : {F32, BF16, F16}) {
    for (int64_t channels : {128, 192, 200})
      check({.batch = 5,
             .channels = channels,
             .results = channels == 128 ? 64 : 24,
             .space = {3, 2},
             .low = {1, 1},
             .high = {1, 1},
             .type = type});
    check({.batch = 2,
           .channels = 256,
           .results = 16,
           .space = {5},
           .kernel = {2},
           .strides = {2},
           .low = {1},
           .high = {0},
           .dilations = {1},
           .type = type});
  }
}

TEST(Convolution, WrittenAsF32) {
  for (ElementType type : {BF16, F16})
    for (bool isLast : {true, false})
      for (int64_t channels : {8, 128})
        check({.channels = channels,
               .results = 8,
               .isLast = isLast,
               .type = type,
               .isWide = true});
}

/// It is added before the one rounding, whatever its type.
TEST(Convolution, Bias) {
  constexpr ConvolutionTensor result[] = {ConvolutionTensor::Result};
  auto checkBoth = [&](ConvolutionSpec spec) {
    for (bool isLast : {true, false}) {
      spec.isLast = isLast;
      check(spec, result);
    }
  };
  std::vector<std::pair<ElementType, ElementType>> types = {{F64, F64}};
  for (ElementType type : {F32, BF16, F16})
    for (ElementType bias : {F32, BF16, F16})
      types.emplace_back(type, bias);
  for (auto [type, bias] : types) {
    checkBoth({.type = type, .bias = bias});
    checkBoth({.batch = 17,
               .channels = 32,
               .results = 24,
               .low = {1, 1},
               .high = {1, 1},
               .type = type,
               .bias = bias});
    checkBoth({.channels = 6,
               .results = 9,
               .groups = 3,
               .space = {4, 3, 5},
               .kernel = {2, 3, 2},
               .strides = {1, 1, 2},
               .low = {1, 0, 1},
               .high = {0, 1, 0},
               .dilations = {1, 1, 1},
               .type = type,
               .bias = bias});
    // By the definition, of what libraries do not take; and windows that meet
    // zeros alone.
    checkBoth({.channels = 1,
               .results = 2,
               .space = {3, 3},
               .strides = {4, 4},
               .low = {6, 0},
               .high = {0, 5},
               .type = type,
               .bias = bias});
  }
  for (ElementType type : {BF16, F16})
    checkBoth({.channels = 8, .type = type, .isWide = true, .bias = type});
}
