// How records are called, and what library calls are called there.
#include "mpc/Program/RecordName.h"
#include "mpc/Program/Calls.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::program;

TEST(RecordName, IsReadAsItWasWritten) {
  for (const RecordName &name :
       {RecordName{"matmul 64x784x10, bias", "backward", "m.mlir:7"},
        RecordName{"elementwise: add, mul, ...", "update of 'a (b) at c'",
                   "m.mlir:7"},
        RecordName{"copy", "forward", ""}, RecordName{"copy", "", "m.mlir:7"},
        RecordName{"copy", "", ""}, RecordName{"row: exp", "update", "m:1"},
        RecordName{"row: exp", "", "all (backward) at once.mlir:7"},
        RecordName{"row: exp", "backward", "f (update of 'x') at y.mlir:7"},
        RecordName{"row: exp", "update of 'x'", "all') at once.mlir:7"},
        RecordName{"row: exp", "update of 'x'", "(update of 'y') at z.mlir:7"},
        RecordName{"copy", "update of 'x at y'", ""},
        RecordName{"row: exp", "update of ''", ""}}) {
    std::string text = name.text();
    RecordName read = RecordName::parse(text);
    EXPECT_EQ(read.what, name.what) << text;
    EXPECT_EQ(read.phase, name.phase) << text;
    EXPECT_EQ(read.place, name.place) << text;
  }
}

/// Quotes in names of parameters, which end no name.
TEST(RecordName, NamesWithQuotes) {
  const std::pair<std::string, std::string> cases[] = {
      {"update of 'x') at y'", R"(update of 'x\') at y')"},
      {"update of 'it's'", R"(update of 'it\'s')"},
      {R"(update of 'a\')", R"(update of 'a\\')"},
      {"update of '''", R"(update of '\'')"}};
  for (const auto &[phase, written] : cases) {
    std::string text = RecordName{"row: exp", phase, "at (c').mlir:7"}.text();
    RecordName read = RecordName::parse(text);
    EXPECT_EQ(read.what, "row: exp") << text;
    EXPECT_EQ(read.phase, written) << text;
    EXPECT_EQ(read.place, "at (c').mlir:7") << text;
  }
}

TEST(RecordName, AsPeopleReadIt) {
  EXPECT_EQ((RecordName{"matmul 64x784x10", "backward", "m.mlir:7"}.text()),
            "matmul 64x784x10 (backward) at m.mlir:7");
}

/// Of older compilers, or of nobody's.
TEST(RecordName, OtherTextsHaveNoPhase) {
  std::string texts[] = {"call at m.mlir:46",
                         "f(x) at m.mlir:1",
                         "a (b) at m.mlir:1",
                         "",
                         "(",
                         ")",
                         " at ",
                         "x ()",
                         "x (update of 'y)",
                         "x (update of 'y\\",
                         "x (update of 'y'"};
  for (const std::string &text : texts) {
    RecordName name = RecordName::parse(text);
    EXPECT_EQ(name.phase, "") << text;
    EXPECT_EQ(name.text(), text == " at " ? "" : text) << text;
  }
}

namespace {
struct Operand {
  OperandRole role;
  std::vector<int64_t> shape;
  bool isWritten = false;
};

template <typename Options>
std::string nameOf(Options options, const std::vector<Operand> &operands) {
  CallT call;
  call.options.Set(std::move(options));
  for (const Operand &given : operands) {
    auto operand = std::make_unique<CallOperandT>();
    operand->role = given.role;
    operand->type = ElementType::F32;
    operand->shape = given.shape;
    operand->strides = getDenseStrides(given.shape);
    operand->written = given.isWritten;
    call.operands.push_back(std::move(operand));
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(CreateCall(builder, &call));
  return describe(*flatbuffers::GetRoot<Call>(builder.GetBufferPointer()));
}
} // namespace

TEST(DescribeCall, Products) {
  EXPECT_EQ(nameOf(MatmulT(), {{OperandRole::Lhs, {64, 784}},
                               {OperandRole::Rhs, {784, 10}},
                               {OperandRole::Result, {64, 10}, true}}),
            "matmul 64x784x10");
  EXPECT_EQ(nameOf(MatmulT(), {{OperandRole::Lhs, {4, 8}},
                               {OperandRole::Rhs, {8, 2}},
                               {OperandRole::Result, {4, 2}, true},
                               {OperandRole::Addend, {4, 2}}}),
            "matmul 4x8x2, addend");
  MatmulT gelu;
  gelu.epilogue = Epilogue::GeluTanh;
  EXPECT_EQ(nameOf(gelu, {{OperandRole::Lhs, {8, 3, 5}},
                          {OperandRole::Rhs, {8, 5, 2}},
                          {OperandRole::Result, {8, 3, 2}, true},
                          {OperandRole::Bias, {2}}}),
            "matmul 8x3x5x2, bias, gelu_tanh");
  gelu.derivative = true;
  EXPECT_EQ(nameOf(gelu, {{OperandRole::Lhs, {3, 5}},
                          {OperandRole::Rhs, {5, 2}},
                          {OperandRole::Result, {3, 2}, true},
                          {OperandRole::Aux, {3, 2}}}),
            "matmul 3x5x2, gradient of gelu_tanh");
}

TEST(DescribeCall, Attention) {
  AttentionT options;
  options.causal = true;
  options.window = 3;
  EXPECT_EQ(nameOf(options, {{OperandRole::Query, {2, 7, 4, 16}},
                             {OperandRole::Key, {2, 9, 4, 16}},
                             {OperandRole::Value, {2, 9, 4, 8}},
                             {OperandRole::Result, {2, 7, 4, 8}, true}}),
            "attention 2x4x7x9x16, causal, window 3");
}

TEST(DescribeCall, Convolution) {
  ConvolutionT options;
  options.strides = options.dilations = {1, 1};
  options.low = {0, 0};
  options.groups = 1;
  EXPECT_EQ(nameOf(options, {{OperandRole::Input, {8, 3, 32, 30}},
                             {OperandRole::Weight, {16, 3, 3, 5}},
                             {OperandRole::Result, {8, 16, 30, 26}, true}}),
            "convolution 8x3x32x30 to 16x30x26, kernel 3x5");
  options.groups = 2;
  EXPECT_EQ(nameOf(options, {{OperandRole::Input, {8, 4, 32, 30}},
                             {OperandRole::Weight, {16, 2, 3, 5}, true},
                             {OperandRole::Result, {8, 16, 30, 26}}}),
            "convolution, gradient of the weight 8x4x32x30 to 16x30x26, kernel "
            "3x5, 2 groups");
}
