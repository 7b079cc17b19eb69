// One broken call of attention per semantic check, and the parts of a tensor
// that one may write.
#include "../Runtime/LineProgram.h"
#include "VerifyCase.h"
#include "mpc/Program/Calls.h"

using namespace mpc;
using namespace mpc::test;
using Case = VerifyCase;

static void addOperand(CallT &call, OperandRole role, Dims shape, bool written,
                       ElementType type = ElementType::BF16) {
  auto operand = std::make_unique<CallOperandT>();
  operand->role = role;
  operand->type = type;
  operand->strides = program::getDenseStrides(shape);
  operand->shape = std::move(shape);
  operand->written = written;
  call.operands.push_back(std::move(operand));
}

/// Forward or backward, with a mask: operands 0 to 3 are query, key, value and
/// mask, 4 and 5 result and log-sum-exp.
static CallT &addAttention(HandMade &made, bool backward = false) {
  auto call = std::make_unique<CallT>();
  program::AttentionT options;
  options.backward = backward;
  options.scale = 1;
  call->options.Set(options);
  addOperand(*call, OperandRole::Query, {2, 3, 4, 8}, false);
  addOperand(*call, OperandRole::Key, {2, 5, 2, 8}, false);
  addOperand(*call, OperandRole::Value, {2, 5, 2, 6}, false);
  addOperand(*call, OperandRole::Mask, {2, 4, 3, 5}, false, ElementType::I1);
  addOperand(*call, OperandRole::Result, {2, 3, 4, 6}, !backward);
  addOperand(*call, OperandRole::LogSumExp, {2, 4, 3}, !backward,
             ElementType::F32);
  if (backward) {
    addOperand(*call, OperandRole::Cotangent, {2, 3, 4, 6}, false);
    addOperand(*call, OperandRole::KeyGradient, {2, 5, 2, 8}, true);
    addOperand(*call, OperandRole::ValueGradient, {2, 5, 2, 6}, true);
  }
  made.program.calls.push_back(std::move(call));
  return *made.program.calls.back();
}

static const std::vector<Case> &attentionCases() {
  static const std::vector<Case> cases = {
      {"AttentionType",
       [](HandMade &m) {
         addAttention(m).operands[1]->type = ElementType::F32;
       },
       "call 0 (attention): expected key of f32, f16 or bf16 like the query"},
      {"AttentionRank",
       [](HandMade &m) {
         CallOperandT &value = *addAttention(m).operands[2];
         value.shape = {10, 2, 6};
         value.strides = {12, 6, 1};
       },
       "expected value of f32, f16 or bf16 like the query, with batch, time, "
       "head and a dense width, but got 10x2x6xbf16"},
      {"AttentionWidthApart",
       [](HandMade &m) {
         addAttention(m).operands[0]->strides = {96, 32, 1, 4};
       },
       "a dense width, but got 2x3x4x8xbf16 strides [96, 32, 1, 4]"},
      {"AttentionShapes",
       [](HandMade &m) { addAttention(m).operands[1]->shape[3] = 7; },
       "expected shapes of attention, but got 2x3x4x8xbf16"},
      // Of no bytes: all keys lie in one place.
      {"AttentionTimes",
       [](HandMade &m) {
         CallT &call = addAttention(m);
         call.operands.erase(call.operands.begin() + 3); // the mask
         for (int i : {1, 2}) {
           call.operands[i]->shape[1] = INT64_MAX;
           call.operands[i]->strides[1] = 0;
         }
       },
       "expected at most 2^30 queries and keys, but got 9223372036854775807"},
      {"AttentionHeads",
       [](HandMade &m) {
         CallT &call = addAttention(m);
         for (int i : {1, 2})
           call.operands[i]->shape[2] = 3;
       },
       "expected shapes of attention"},
      {"AttentionResult",
       [](HandMade &m) { addAttention(m).operands[4]->shape[3] = 5; },
       "expected result to be 2x3x4x6xbf16"},
      {"AttentionLogSumExp",
       [](HandMade &m) {
         addAttention(m).operands[5]->type = ElementType::BF16;
       },
       "expected log_sum_exp to be 2x4x3xf32, but got 2x4x3xbf16"},
      {"AttentionMask",
       [](HandMade &m) { addAttention(m).operands[3]->shape[1] = 1; },
       "expected a mask of i1, f32, f16 or bf16 for each query and key, "
       "2x4x3x5xi1, but got 2x1x3x5xi1"},
      {"AttentionCotangent",
       [](HandMade &m) {
         addAttention(m, /*backward=*/true).operands[6]->type =
             ElementType::F16;
       },
       "expected cotangent to be 2x3x4x6xbf16"},
      {"AttentionGradient",
       [](HandMade &m) {
         addAttention(m, /*backward=*/true).operands[7]->shape[1] = 4;
       },
       "expected key_gradient to be 2x5x2x8xbf16"},
      {"AttentionGradientWidthApart",
       [](HandMade &m) {
         CallOperandT &gradient =
             *addAttention(m, /*backward=*/true).operands[7];
         gradient.strides = {160, 32, 16, 2};
       },
       "expected key_gradient to be 2x5x2x8xbf16, but got 2x5x2x8xbf16 strides "
       "[160, 32, 16, 2]"},
      {"AttentionGradientOverlap",
       [](HandMade &m) {
         addAttention(m, /*backward=*/true).operands[7]->strides = {80, 12, 8,
                                                                    1};
       },
       "operand key_gradient: writes elements of 2x5x2x8xbf16 strides [80, 12, "
       "8, 1] that are one"},
      {"AttentionGradientForward",
       [](HandMade &m) {
         addAttention(m, /*backward=*/true).options.AsAttention()->backward =
             false;
       },
       "call 0 (attention): expected result to be written"},
      {"AttentionNumbers",
       [](HandMade &m) { addAttention(m).options.AsAttention()->window = -1; },
       "expected a window and a softcap of 0 or more, and numbers that are "
       "finite in f32"},
      {"AttentionScale",
       [](HandMade &m) {
         addAttention(m).options.AsAttention()->scale = 1e300;
       },
       "numbers that are finite in f32"},
      {"AttentionSoftcap",
       [](HandMade &m) {
         addAttention(m).options.AsAttention()->softcap = 1e-45;
       },
       "as is the softcap's reciprocal"},
      {"AttentionSoftcapGone",
       [](HandMade &m) {
         addAttention(m).options.AsAttention()->softcap = 1e-300;
       },
       "as is the softcap's reciprocal"},
      {"AttentionDropout",
       [](HandMade &m) {
         CallT &call = addAttention(m);
         call.options.AsAttention()->dropout = 0.999999;
         addOperand(call, OperandRole::RandomStep, {}, false, ElementType::I32);
         addOperand(call, OperandRole::RandomSeed, {}, false, ElementType::I32);
       },
       "expected a dropout of 0, or between 2^-16 and 1 - 2^-16"},
      {"AttentionRandomKey",
       [](HandMade &m) {
         addAttention(m).options.AsAttention()->dropout = 0.5;
       },
       "random_step"},
  };
  return cases;
}

/// Rows of up to 128 elements, which is said for the compiler in Target.cpp
/// too.
TEST(Attentions, AreNarrowOnDevices) {
  for (int64_t width : {128, 129}) {
    HandMade made = makeLineProgram();
    CallT &call = addAttention(made);
    for (int number : {0, 1}) {
      CallOperandT &operand = *call.operands[number];
      operand.shape[3] = width;
      operand.strides = program::getDenseStrides(operand.shape);
    }
    auto bytes = serialize(made.program);
    ASSERT_TRUE(bytes) << bytes.status().message();
    static constexpr std::string_view targets[] = {"cpu"};
    auto file = ProgramFile::copy(*bytes, targets);
    ASSERT_TRUE(file) << file.status().message();
    const program::Call &own = *(*file)->calls()->Get(0);
    EXPECT_TRUE(program::verifyCall(own, /*isForGpu=*/false).ok());
    Status onDevice = program::verifyCall(own, /*isForGpu=*/true);
    EXPECT_EQ(onDevice.message(),
              width == 128 ? ""
                           : "expected rows of at most 128 elements on a "
                             "device, but got 2x3x4x129xbf16");
  }
}

TEST(Attentions, AreTakenWhenWhole) {
  for (bool backward : {false, true}) {
    HandMade made = makeLineProgram();
    addAttention(made, backward);
    auto bytes = serialize(made.program);
    EXPECT_TRUE(bytes) << bytes.status().message();
  }
}

/// A record of a backward, whose gradients of keys and values lie at elements
/// `key` and `value` of one tensor [2, 5, 2, 14].
static Result<std::vector<uint8_t>> serializePacked(int64_t key, int64_t value,
                                                    int64_t elements = 280,
                                                    uint64_t before = 0) {
  HandMade made = makeLineProgram();
  made.arena(before);
  CallT &call = addAttention(made, /*backward=*/true);
  std::vector<Arg> args;
  for (std::unique_ptr<CallOperandT> &operand : call.operands) {
    if (!operand->written)
      args.push_back(made.arena(
          program::getReach(operand->type, operand->shape, operand->strides)
              .value()));
    else
      operand->strides = {140, 28, 14, 1};
  }
  Arg packed = made.arena(2 * static_cast<uint64_t>(elements));
  for (int64_t at : {key, value})
    args.push_back({packed.space(), packed.index(),
                    packed.offset() + 2 * static_cast<uint64_t>(at)});
  HandMade::record(*made.program.entries[1], RecordKind::Call, 0, args);
  return serialize(made.program);
}

TEST(Attentions, WritePartsOfATensor) {
  auto bytes = serializePacked(0, 8);
  EXPECT_TRUE(bytes) << bytes.status().message();
  // Rows in the gaps of others, and one after the other.
  EXPECT_TRUE(serializePacked(6, 0));
  EXPECT_TRUE(serializePacked(0, 280, 560));
  // Wherever the tensor begins: rows of 28 bytes at multiples of 256.
  for (uint64_t before = 0; before < uint64_t(28) * 256; before += 256)
    EXPECT_TRUE(serializePacked(0, 8, 280, before)) << before;
}

TEST(Attentions, WriteNoElementTwice) {
  for (auto [key, value] :
       {std::pair(0, 7), std::pair(0, 0), std::pair(7, 0)}) {
    auto bytes = serializePacked(key, value);
    ASSERT_FALSE(bytes) << key << " and " << value;
    EXPECT_NE(bytes.status().message().find(
                  "expected what it writes to lie apart from what else it "
                  "uses, but key_gradient and value_gradient overlap"),
              std::string::npos)
        << bytes.status().message();
  }
}

/// The last row of the keys ends 548 bytes behind the first.
TEST(Attentions, WriteNothingOutside) {
  auto bytes = serializePacked(0, 8, 256);
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.status().message().find("argument 7: needs 548 bytes"),
            std::string::npos)
      << bytes.status().message();
}

class VerifyAttention : public testing::TestWithParam<Case> {};

TEST_P(VerifyAttention, Refuses) {
  expectRefusal(makeLineProgram(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Attentions, VerifyAttention,
                         testing::ValuesIn(attentionCases()), nameOf);
