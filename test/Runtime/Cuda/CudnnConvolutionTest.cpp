// Convolutions as graphs of cuDNN's operations: what they compute, which
// engines they are computed by, and every call that fails.
#include "../ConvolutionProblem.h"
#include "CudnnTest.h"
#include "Runtime/Cuda/Calls/Convolution/ConvolutionGraph.h"

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::test;

namespace {
/// A call, and memory at multiples of 256 for its tensors.
class PackedProblem {
public:
  PackedProblem(const ConvolutionSpec &spec, ConvolutionTensor written)
      : made(makeCall(spec, written)), problem(spec, written),
        result(problem.makeResult()) {
    pack();
  }
  void pack() {
    builder.Clear();
    builder.Finish(program::Call::Pack(builder, &made));
  }
  const program::Call &call() const {
    return *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer());
  }
  std::vector<void *> args() {
    memory.clear();
    std::vector<void *> addresses;
    for (size_t i = 0; i < made.operands.size(); ++i) {
      const std::vector<uint8_t> &bytes = problem.tensors()[i].bytes;
      memory.emplace_back(bytes.size() + 256);
      auto at = reinterpret_cast<uintptr_t>(memory.back().data());
      addresses.push_back(reinterpret_cast<void *>((at + 255) / 256 * 256));
      std::memcpy(addresses.back(), bytes.data(), bytes.size());
      if (made.operands[i]->written)
        target = addresses.back();
    }
    return addresses;
  }
  double worstError() {
    std::memcpy(result.bytes.data(), target, result.bytes.size());
    return problem.worstError(result);
  }

  program::CallT made;

private:
  ConvolutionProblem problem;
  Values result;
  flatbuffers::FlatBufferBuilder builder;
  std::vector<std::vector<uint8_t>> memory;
  void *target = nullptr;
};

struct CudnnConvolution : CudnnTest {
  using Library = Result<std::unique_ptr<CallLibrary>>;
  Library open() {
    return getLibrary(*sample.call().options_as_Convolution())(context());
  }
  /// Makes and runs a call; "" or what is wrong.
  std::string run(CallLibrary &library, PackedProblem &problem);
  std::string run(PackedProblem &problem) {
    Library library = open();
    return library ? run(**library, problem) : library.status().message();
  }
  void check(const ConvolutionSpec &spec) {
    Library library = open();
    ASSERT_TRUE(library) << library.status().message();
    for (ConvolutionTensor written : kConvolutionTensors) {
      PackedProblem problem(spec, written);
      ASSERT_EQ(program::verifyCall(problem.call(), true).message(), "");
      ASSERT_EQ(run(**library, problem), "") << describe(spec, written);
      EXPECT_LE(problem.worstError(), 1) << describe(spec, written);
    }
  }
  /// In every type, channels first, last and both.
  void checkAll(ConvolutionSpec spec) {
    for (ElementType type : {F64, F32, BF16, F16})
      for (bool isLast : {true, false})
        for (bool turnsWeight : {true, false}) {
          spec.type = type;
          spec.isLast = isLast;
          spec.turnsWeight = turnsWeight;
          check(spec);
        }
  }

  PackedProblem sample{{}, ConvolutionTensor::Result};
};
} // namespace

std::string CudnnConvolution::run(CallLibrary &library,
                                  PackedProblem &problem) {
  std::vector<uint8_t> workspace(library.workspaceBytes(problem.call()) + 256);
  auto *at = reinterpret_cast<void *>(
      (reinterpret_cast<uintptr_t>(workspace.data()) + 255) / 256 * 256);
  auto made = library.makeCall(problem.call(), problem.args(), false);
  if (!made)
    return made.status().message();
  LibraryCall *calls[] = {made->get()};
  if (Status status = library.prepare(calls, at, nullptr); !status.ok())
    return status.message();
  if (Status status = (*made)->enqueue(nullptr, at); !status.ok())
    return status.message();
  return failure;
}

TEST_F(CudnnConvolution, OfOneToThreeDims) {
  checkAll({});
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

TEST_F(CudnnConvolution, StridesZerosAndDilations) {
  checkAll({.space = {9, 8},
            .strides = {2, 3},
            .low = {1, 1},
            .high = {1, 0},
            .dilations = {1, 2}});
  // A rest that no window reaches.
  checkAll({.space = {8, 8}, .kernel = {1, 1}, .strides = {2, 3}});
  checkAll({.space = {6, 6}, .strides = {4, 4}, .low = {4, 0}, .high = {0, 5}});
  checkAll({.space = {2, 1}, .low = {1, 1}, .high = {1, 1}});
}

TEST_F(CudnnConvolution, Groups) {
  checkAll({.channels = 6, .results = 9, .groups = 3});
  checkAll({.channels = 4, .results = 4, .groups = 4, .low = {1, 1}});
  checkAll({.channels = 2, .results = 4, .groups = 2});
}

/// Before the one rounding.
TEST_F(CudnnConvolution, Bias) {
  auto checkBias = [&](ConvolutionSpec spec) {
    for (ElementType type : {BF16, F16})
      for (bool isLast : {true, false}) {
        spec.type = type;
        spec.bias = type;
        spec.isLast = isLast;
        check(spec);
      }
  };
  checkBias({});
  checkBias({.channels = 4, .results = 4, .groups = 4, .low = {1, 1}});
  checkBias({.space = {9},
             .kernel = {4},
             .strides = {2},
             .low = {1},
             .high = {2},
             .dilations = {1}});
  checkBias({.space = {4, 3, 5},
             .kernel = {2, 3, 2},
             .strides = {1, 1, 2},
             .low = {1, 0, 1},
             .high = {0, 1, 0},
             .dilations = {1, 1, 1}});
}

/// Dims of one element say nothing: engines are told what the others say.
TEST_F(CudnnConvolution, liesAsTheWholeCallDoes) {
  auto stridesOf = [&](const ConvolutionSpec &spec, size_t operand,
                       std::vector<int64_t> strides) {
    PackedProblem problem(spec, ConvolutionTensor::Result);
    problem.made.operands[operand]->strides = std::move(strides);
    problem.pack();
    program::ConvolutionCall call(problem.call());
    Graph graph = makeConvolutionGraph(call);
    for (auto [tensor, role] : graph.memories())
      if (role == static_cast<int>(operand))
        return graph.layout(tensor).strides;
    return std::vector<int64_t>();
  };
  ConvolutionSpec spec{.channels = 8, .results = 4, .kernel = {1, 1}};
  EXPECT_EQ(stridesOf(spec, 1, {8, 1, 1, 1}),
            (std::vector<int64_t>{8, 1, 8, 8}));
  spec.isLast = false;
  EXPECT_EQ(stridesOf(spec, 1, {8, 1, 8, 8}),
            (std::vector<int64_t>{8, 1, 1, 1}));
  // One dim of space is the second of two.
  ConvolutionSpec row{.channels = 8,
                      .results = 4,
                      .space = {5},
                      .kernel = {2},
                      .strides = {1},
                      .low = {0},
                      .high = {0},
                      .dilations = {1}};
  EXPECT_EQ(stridesOf(row, 0, {40, 1, 8}),
            (std::vector<int64_t>{40, 1, 40, 8}));
  row.isLast = false;
  EXPECT_EQ(stridesOf(row, 0, {40, 5, 1}), (std::vector<int64_t>{40, 5, 5, 1}));
}

TEST_F(CudnnConvolution, plansAProblemOnce) {
  PackedProblem first({}, ConvolutionTensor::Result),
      second({}, ConvolutionTensor::Result),
      other({.low = {1, 1}}, ConvolutionTensor::Result),
      gradient({}, ConvolutionTensor::Weight),
      plain({.type = BF16}, ConvolutionTensor::Result),
      biased({.type = BF16, .bias = BF16}, ConvolutionTensor::Result);
  Library library = open();
  ASSERT_TRUE(library);
  for (PackedProblem *problem :
       {&first, &second, &other, &gradient, &plain, &biased})
    EXPECT_EQ(run(**library, *problem), "");
  EXPECT_EQ(cudnn.plans, 5);
  EXPECT_EQ(logged[0], "f32 convolution [2, 3, 6, 5] by [4, 3, 3, 3]: cuDNN, "
                       "with 256 bytes of workspace");
  EXPECT_EQ(logged[2], "f32 convolution [2, 3, 6, 5] by [4, 3, 3, 3], for its "
                       "weight: cuDNN, with 256 bytes of workspace");
  EXPECT_EQ(logged[4], "bf16 convolution [2, 3, 6, 5] by [4, 3, 3, 3], with a "
                       "bias: cuDNN, with 256 bytes of workspace");
}

/// An engine is left out for what is noted of it, and the next one taken.
TEST_F(CudnnConvolution, keepsWhatIsPromisedOfNumbers) {
  auto runs = [&](ElementType type, cudnnBackendNumericalNote_t note) {
    PackedProblem problem({.type = type}, ConvolutionTensor::Result);
    cudnn.notes = {{CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP, note}};
    cudnn.proposals = 1;
    bool isTaken = run(problem).empty();
    cudnn.proposals = 2;
    EXPECT_EQ(run(problem), "");
    return isTaken;
  };
  EXPECT_TRUE(runs(BF16, CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
  EXPECT_TRUE(runs(F64, CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
  EXPECT_FALSE(runs(F32, CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
  EXPECT_FALSE(runs(F16, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC));
  options.allowTf32 = options.allowNondeterministic = true;
  EXPECT_TRUE(runs(F32, CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
  EXPECT_TRUE(runs(F16, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC));
  for (auto note : {CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS,
                    CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION,
                    CUDNN_NUMERICAL_NOTE_FFT, CUDNN_NUMERICAL_NOTE_WINOGRAD,
                    CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4,
                    CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6,
                    CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13})
    for (ElementType type : {F32, BF16})
      EXPECT_FALSE(runs(type, note)) << note;
}

TEST_F(CudnnConvolution, saysWhyThereIsNoPlan) {
  cudnn.notes = {{CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC},
                 {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}};
  EXPECT_EQ(run(sample),
            "f32 convolution [2, 3, 6, 5] by [4, 3, 3, 3]: cuDNN has no engine "
            "for it on this device: none is left of 2 engines, whose numbers "
            "are not what is promised; take another version, give "
            "allow_nondeterministic, or compile for target 'cpu'");
  cudnn.notes.clear();
  cudnn.broken = 2;
  options.allowNondeterministic = true;
  EXPECT_EQ(run(sample),
            "f32 convolution [2, 3, 6, 5] by [4, 3, 3, 3]: cuDNN has no engine "
            "for it on this device: cudnnBackendFinalize of a plan: "
            "CUDNN_STATUS_NOT_SUPPORTED, as the fake says; take another "
            "version, or compile for target 'cpu'");
  hasCudnn = false;
  EXPECT_EQ(run(sample), "no cuDNN here");
  hasCudnn = true;
  cudnn.version = 91002;
  EXPECT_EQ(run(sample),
            "expected cuDNN 9.11 or newer, but found version 91002");
}

/// A file that no compiler wrote may leave out more than a stride.
TEST_F(CudnnConvolution, refusesARestOfWholeWindows) {
  PackedProblem problem({.space = {9, 5}, .strides = {2, 1}},
                        ConvolutionTensor::Result);
  problem.made.operands[2]->shape[2] = 3;
  problem.made.operands[2]->strides = {36, 1, 12, 4};
  problem.pack();
  ASSERT_EQ(program::verifyCall(problem.call(), true).message(), "");
  EXPECT_EQ(run(problem),
            "f32 convolution [2, 3, 9, 5] by [4, 3, 3, 3]: its windows leave "
            "out 2 elements at the end of a dim, where cuDNN would begin "
            "another one every 2");
}

TEST_F(CudnnConvolution, refusesAddressesBetweenVectors) {
  Library library = open();
  ASSERT_TRUE(library);
  std::vector<void *> args = sample.args();
  args[1] = static_cast<uint8_t *>(args[1]) + 8;
  auto made = (*library)->makeCall(sample.call(), args, false);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.status().message(),
            "f32 convolution [2, 3, 6, 5] by [4, 3, 3, 3]: expected operands "
            "at multiples of 16 bytes");
}

TEST_F(CudnnConvolution, leavesNothingWhereACallFails) {
  for (ConvolutionTensor written : kConvolutionTensors) {
    PackedProblem problem({.type = BF16, .bias = BF16}, written);
    int calls = 1000;
    for (int n = 0; n <= calls; ++n) {
      int count = 0;
      std::string failed;
      cudnn.interfere = [&](const char *name) {
        if (++count != n)
          return CUDNN_STATUS_SUCCESS;
        failed = name;
        return CUDNN_STATUS_INTERNAL_ERROR;
      };
      std::string text = run(problem);
      if (n == 0) {
        EXPECT_EQ(text, "");
        calls = count;
      } else if (!text.empty()) { // else another engine was taken
        EXPECT_NE(text.find(failed), std::string::npos) << text;
      }
      EXPECT_EQ(cudnn.live, 0) << "call " << n;
    }
    EXPECT_GT(calls, 50);
  }
}
