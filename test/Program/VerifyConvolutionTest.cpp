// One broken call of a convolution per semantic check.
#include "../Runtime/CudaProgram.h"
#include "../Runtime/LineProgram.h"
#include "VerifyCase.h"
#include "mpc/Program/Calls.h"

using namespace mpc;
using namespace mpc::test;
using Case = VerifyCase;

/// Of 2 x 4 x 9 x 8 in two groups: operands 0 to 2 are input, weight and
/// result.
static CallT &addConvolution(HandMade &made) {
  auto call = std::make_unique<CallT>();
  program::ConvolutionT options;
  options.strides = {2, 2};
  options.low = {1, 1};
  options.dilations = {1, 1};
  options.groups = 2;
  call->options.Set(std::move(options));
  auto add = [&](OperandRole role, Dims shape) {
    auto operand = std::make_unique<CallOperandT>();
    operand->role = role;
    operand->type = ElementType::BF16;
    operand->strides = program::getDenseStrides(shape);
    operand->shape = std::move(shape);
    operand->written = role == OperandRole::Result;
    call->operands.push_back(std::move(operand));
  };
  add(OperandRole::Input, {2, 4, 9, 8});
  add(OperandRole::Weight, {6, 2, 3, 3});
  add(OperandRole::Result, {2, 6, 5, 4});
  made.program.calls.push_back(std::move(call));
  return *made.program.calls.back();
}

/// The same with a bias of f32, as operand 3.
static CallOperandT &addBias(HandMade &made, bool isGradient = false) {
  CallT &call = addConvolution(made);
  auto bias = std::make_unique<CallOperandT>();
  bias->role = OperandRole::Bias;
  bias->type = ElementType::F32;
  bias->shape = {6};
  bias->strides = {1};
  if (isGradient)
    std::swap(call.operands[0]->written, call.operands[2]->written);
  call.operands.push_back(std::move(bias));
  return *call.operands.back();
}

static program::ConvolutionT &addOptions(HandMade &made) {
  return *addConvolution(made).options.AsConvolution();
}

static const std::vector<Case> &convolutionCases() {
  static const std::vector<Case> cases = {
      {"Missing", [](HandMade &m) { addConvolution(m).operands.pop_back(); },
       "call 0 (convolution): expected an operand result"},
      {"NothingWritten",
       [](HandMade &m) { addConvolution(m).operands[2]->written = false; },
       "expected one of input, weight and result to be written"},
      {"TwoWritten",
       [](HandMade &m) { addConvolution(m).operands[0]->written = true; },
       "expected result to be read"},
      {"Rank",
       [](HandMade &m) {
         CallOperandT &weight = *addConvolution(m).operands[1];
         weight.shape = {6, 2, 9};
         weight.strides = {18, 9, 1};
       },
       "expected tensors of 3, 4 or 5 dims, none of them 0, but got "
       "6x2x9xbf16"},
      {"Gaps",
       [](HandMade &m) {
         addConvolution(m).operands[0]->strides = {1000, 72, 8, 1};
       },
       "expected tensors without gaps, but got 2x4x9x8xbf16 strides"},
      {"Types",
       [](HandMade &m) {
         addConvolution(m).operands[1]->type = ElementType::F32;
       },
       "no convolution of bf16 and f32 to bf16"},
      {"TypeOfResult",
       [](HandMade &m) {
         addConvolution(m).operands[2]->type = ElementType::F16;
       },
       "no convolution of bf16 and bf16 to f16"},
      {"Strides", [](HandMade &m) { addOptions(m).strides = {2}; },
       "expected strides and dilations of 1 or more and low of 0 or more, "
       "below 2^31, for each dim of space"},
      {"StrideOf0", [](HandMade &m) { addOptions(m).strides = {2, 0}; },
       "expected strides and dilations of 1 or more"},
      {"Low", [](HandMade &m) { addOptions(m).low = {-1, 0}; },
       "expected strides and dilations of 1 or more"},
      {"Dilations",
       [](HandMade &m) { addOptions(m).dilations = {int64_t(1) << 31, 1}; },
       "expected strides and dilations of 1 or more"},
      {"Groups", [](HandMade &m) { addOptions(m).groups = 0; },
       "expected shapes of a convolution of 0 groups"},
      {"GroupsOfChannels", [](HandMade &m) { addOptions(m).groups = 3; },
       "expected shapes of a convolution of 3 groups, but got 2x4x9x8xbf16, "
       "6x2x3x3xbf16 and 2x6x5x4xbf16"},
      {"Batch",
       [](HandMade &m) { addConvolution(m).operands[2]->shape[0] = 1; },
       "expected shapes of a convolution of 2 groups"},
      {"FarBehindTheInput",
       [](HandMade &m) {
         addOptions(m).dilations = {(int64_t(1) << 31) - 1, 1};
       },
       "expected windows that reach less than 2^31 behind the input"},
      {"ShapeOfBias", [](HandMade &m) { addBias(m).shape = {5}; },
       "expected a bias of 6 numbers of f32, f16 or bf16, but got 5xf32"},
      {"RankOfBias",
       [](HandMade &m) {
         CallOperandT &bias = addBias(m);
         bias.shape = bias.strides = {6, 1};
       },
       "expected a bias of 6 numbers of f32, f16 or bf16, but got 6x1xf32"},
      {"StrideOfBias", [](HandMade &m) { addBias(m).strides = {2}; },
       "expected a bias of 6 numbers of f32, f16 or bf16, but got 6xf32 "
       "strides"},
      {"TypeOfBias", [](HandMade &m) { addBias(m).type = ElementType::F64; },
       "expected a bias of 6 numbers of f32, f16 or bf16, but got 6xf64"},
      {"TypeOfBiasBesideF64",
       [](HandMade &m) {
         addBias(m);
         for (size_t i = 0; i < 3; ++i)
           m.program.calls.back()->operands[i]->type = ElementType::F64;
       },
       "expected a bias of 6 numbers of f64, but got 6xf32"},
      {"BiasOfIntegers",
       [](HandMade &m) { addBias(m).type = ElementType::I32; },
       "expected a bias of 6 numbers of f32, f16 or bf16, but got 6xi32"},
      {"BiasOfGradient", [](HandMade &m) { addBias(m, true); },
       "a gradient has no bias"},
      {"BiasWritten", [](HandMade &m) { addBias(m).written = true; },
       "expected bias to be read"}};
  return cases;
}

class VerifyConvolutions : public testing::TestWithParam<Case> {};

TEST_P(VerifyConvolutions, Refuses) {
  expectRefusal(makeLineProgram(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Convolutions, VerifyConvolutions,
                         testing::ValuesIn(convolutionCases()), nameOf);

TEST(VerifyConvolution, TakesABias) {
  for (ElementType type :
       {ElementType::F32, ElementType::F16, ElementType::BF16}) {
    HandMade made = makeLineProgram();
    addBias(made).type = type;
    auto bytes = serialize(made.program);
    EXPECT_TRUE(bytes) << bytes.status().message();
  }
}

/// For a GPU it has 16 bits, as all the rest.
TEST(VerifyConvolution, TakesABiasOfOneTypeForGpus) {
  HandMade made = makeCudaProgram();
  addBias(made).type = ElementType::BF16;
  auto bytes = serialize(made.program);
  EXPECT_TRUE(bytes) << bytes.status().message();
  const char *message = "(convolution): a bias of another type than f16 or "
                        "bf16, which input and result have too, needs target "
                        "'cpu'";
  expectRefusal(makeCudaProgram(),
                {"Bias", [](HandMade &m) { addBias(m); }, message});
  auto makeAll = [](ElementType type, ElementType ofResult) {
    return [=](HandMade &m) {
      addBias(m);
      for (auto &operand : m.program.calls.back()->operands)
        operand->type = operand->written ? ofResult : type;
    };
  };
  expectRefusal(makeCudaProgram(),
                {"F32", makeAll(ElementType::F32, ElementType::F32), message});
  expectRefusal(makeCudaProgram(),
                {"Wide", makeAll(ElementType::F16, ElementType::F32), message});
}
