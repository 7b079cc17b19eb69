// One broken call of a program for target "cpu" per semantic check.
#include "../Runtime/LineProgram.h"
#include "VerifyCase.h"
#include "mpc/Program/Calls.h"

#include <algorithm>
#include <random>
#include <set>

using namespace mpc;
using namespace mpc::test;
using Case = VerifyCase;

static void addMatmul(HandMade &made, MatmulSpec spec) {
  made.program.calls.push_back(spec.call());
}

static const MatmulSpec kGood = {
    ElementType::F32, ElementType::F32, {4, 8}, {8, 2}, {4, 2}};

static CallT &addCall(HandMade &made) {
  addMatmul(made, kGood);
  return *made.program.calls[0];
}

/// What is true of calls of any kind.
static const std::vector<Case> &callCases() {
  static const std::vector<Case> cases = {
      {"CallKind",
       [](HandMade &m) {
         CallOptionsUnion &options = addCall(m).options;
         options.Reset();
         options.type = CallOptions(9);
       },
       "call 0: unknown kind"},
      {"OperandRole",
       [](HandMade &m) { addCall(m).operands[1]->role = OperandRole(99); },
       "call 0 (matmul): operand : unknown role"},
      {"OperandTwice",
       [](HandMade &m) { addCall(m).operands[1]->role = OperandRole::Lhs; },
       "call 0 (matmul): operand lhs: is there twice"},
      {"OperandMissing", [](HandMade &m) { addCall(m).operands.pop_back(); },
       "call 0 (matmul): expected an operand result"},
      {"NoOperands", [](HandMade &m) { addCall(m).operands.clear(); },
       "call 0 (matmul): expected an operand lhs"},
      {"OperandUnknown",
       [](HandMade &m) {
         auto scale = std::make_unique<CallOperandT>();
         scale->role = OperandRole::BiasGradient;
         addCall(m).operands.push_back(std::move(scale));
       },
       "call 0 (matmul): takes no operand bias_gradient"},
      {"OperandRead",
       [](HandMade &m) { addCall(m).operands[2]->written = false; },
       "call 0 (matmul): expected result to be written"},
      {"OperandWritten",
       [](HandMade &m) { addCall(m).operands[0]->written = true; },
       "call 0 (matmul): expected lhs to be read"},
      {"OperandType",
       [](HandMade &m) { addCall(m).operands[0]->type = ElementType(77); },
       "operand lhs: expected an element type, but got number 77"},
      {"OperandStrides",
       [](HandMade &m) { addCall(m).operands[0]->strides = {8}; },
       "operand lhs: expected a stride of 0 or more for each dim"},
      {"OperandBackwards",
       [](HandMade &m) { addCall(m).operands[0]->strides = {-8, 1}; },
       "operand lhs: expected a stride of 0 or more for each dim"},
      {"OperandReach",
       [](HandMade &m) {
         addCall(m).operands[0]->strides = {INT64_MAX / 2, 1};
       },
       "operand lhs: expected a stride of 0 or more for each dim"},
      {"OperandFar",
       [](HandMade &m) {
         addCall(m).operands[0]->strides = {int64_t(1) << 47, 1};
       },
       "operand lhs: expected a stride of 0 or more for each dim of 4x8xf32 "
       "and at most 2^48 bytes"},
      // An empty tensor reaches nothing, whatever the product of its numbers.
      {"OperandEmpty",
       [](HandMade &m) {
         CallOperandT &result = *addCall(m).operands[2];
         result.shape = {0, int64_t(1) << 61, 2};
         result.strides = {1, 3, 4};
       },
       "expected operands of at least two dims, none of them 0"},
      {"OperandOverlap",
       [](HandMade &m) { addCall(m).operands[2]->strides = {1, 1}; },
       "operand result: writes elements of 4x2xf32 strides [1, 1] that are "
       "one"},
      {"TailForCpu", [](HandMade &m) { addCall(m).tail_kernel = 0; },
       "call 0 (matmul): a tail needs target 'cuda'"}};
  return cases;
}

/// What a matrix product asks for besides.
static const std::vector<Case> &matmulCases() {
  static const std::vector<Case> cases = {
      {"MatmulRank",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.lhs = {8};
         addMatmul(m, spec);
       },
       "call 0 (matmul): expected operands of at least two dims, none of them "
       "0, but "
       "got 8xf32"},
      {"MatmulEmpty",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.lhs = {0, 8};
         spec.out = {0, 2};
         addMatmul(m, spec);
       },
       "expected operands of at least two dims, none of them 0, but got "
       "0x8xf32"},
      {"MatmulShape",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.out = {4, 3};
         addMatmul(m, spec);
       },
       "call 0 (matmul): expected shapes of a matrix product, but got "
       "4x8xf32 x 8x2xf32 -> 4x3xf32"},
      {"MatmulInner",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.transposeRhs = true;
         addMatmul(m, spec);
       },
       "expected shapes of a matrix product"},
      {"MatmulBatch",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.lhs = {2, 4, 8};
         spec.rhs = {3, 8, 2};
         spec.out = {6, 4, 2};
         addMatmul(m, spec);
       },
       "expected shapes of a matrix product"},
      {"MatmulLayout",
       [](HandMade &m) {
         addMatmul(m, kGood);
         m.program.calls[0]->operands[0]->strides = {16, 2};
       },
       "call 0 (matmul): expected matrices with dense rows or columns, but got "
       "4x8xf32 strides [16, 2]"},
      {"MatmulRows",
       [](HandMade &m) {
         addMatmul(m, kGood);
         m.program.calls[0]->operands[0]->strides = {7, 1};
       },
       "expected matrices with dense rows or columns"},
      {"MatmulResult",
       [](HandMade &m) {
         addMatmul(m, kGood);
         m.program.calls[0]->operands[2]->strides = {3, 1};
       },
       "call 0 (matmul): expected a dense result, but got 4x2xf32 strides "
       "[3, 1]"},
      {"MatmulBias",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.bias = true;
         addMatmul(m, spec);
         m.program.calls[0]->operands[3]->shape = {3};
       },
       "call 0 (matmul): expected bias to be 2xf32, but got 3xf32"},
      {"MatmulTypes",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.result = ElementType::F16;
         addMatmul(m, spec);
       },
       "call 0 (matmul): no product f32 x f32 -> f16"},
      {"MatmulEpilogue",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.epilogue = static_cast<Epilogue>(50);
         addMatmul(m, spec);
       },
       "call 0 (matmul): unknown epilogue"},
      {"MatmulMixed",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.rhsOperand = ElementType::F64;
         addMatmul(m, spec);
       },
       "call 0 (matmul): no product f32 x f64 -> f32"},
      {"MatmulBiasType",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.bias = true;
         addMatmul(m, spec);
         m.program.calls[0]->operands[3]->type = ElementType::F16;
       },
       "call 0 (matmul): expected bias to be 2xf32, but got 2xf16"},
      {"MatmulAux",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.epilogue = Epilogue::Relu;
         spec.aux = true;
         addMatmul(m, spec);
       },
       "and scales need target 'cuda'"},
      {"MatmulBiasGradient",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.biasGradient = BiasGradient::OfResult;
         addMatmul(m, spec);
       },
       "and scales need target 'cuda'"},
      {"MatmulExtended",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.accumulate = true;
         addMatmul(m, spec);
       },
       "call 0 (matmul): aux, derivative, bias gradient, accumulation and "
       "scales need "
       "target 'cuda'"},
      {"MatmulEightBit",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.operand = spec.rhsOperand = ElementType::F8E4M3;
         addMatmul(m, spec);
       },
       "call 0 (matmul): no product f8E4M3FN x f8E4M3FN -> f32"},
  };
  return cases;
}

//===-- Attention ---------------------------------------------------------===//

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
                                                    int64_t elements = 280) {
  HandMade made = makeLineProgram();
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
}

TEST(Attentions, WriteNoElementTwice) {
  for (auto [key, value] : {std::pair(0, 7), {0, 0}, {7, 0}}) {
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

/// The bytes of a tensor, one by one.
static std::set<uint64_t> listBytes(const program::StridedPlace &place) {
  uint64_t width = getInfo(static_cast<DType>(place.type)).bytes;
  std::set<uint64_t> begins{place.begin}, bytes;
  for (size_t dim = 0; dim < place.shape.size(); ++dim) {
    std::set<uint64_t> more;
    for (uint64_t begin : begins)
      for (int64_t i = 0; i < place.shape[dim]; ++i)
        more.insert(begin +
                    static_cast<uint64_t>(i * place.strides[dim]) * width);
    begins = std::move(more);
  }
  for (uint64_t begin : begins)
    for (uint64_t i = 0; i < width; ++i)
      bytes.insert(begin + i);
  return bytes;
}

/// Against their bytes: what is said to be apart is, and parts of a tensor that
/// was cut along one dim always are.
TEST(StridedPlaces, AreApart) {
  std::mt19937 random(1);
  auto below = [&](int64_t bound) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
  };
  int apart = 0, cut = 0;
  for (int round = 0; round < 4000; ++round) {
    Dims shape{1 + below(3), 1 + below(3), 2 + below(4), 1 + below(3)};
    Dims strides = program::getDenseStrides(shape);
    if (below(2)) // an order of the dims that is not theirs
      std::swap(strides[0], strides[3]), std::swap(shape[0], shape[3]);
    auto dim =
        static_cast<size_t>(std::ranges::max_element(shape) - shape.begin());
    int64_t first = 1 + below(shape[dim] - 1);
    Dims rest = shape, head = shape;
    head[dim] = first;
    rest[dim] -= first;
    ElementType type = below(2) ? ElementType::F32 : ElementType::BF16;
    uint64_t width = type == ElementType::F32 ? 4 : 2;
    auto begin = static_cast<uint64_t>(first * strides[dim]) * width;
    program::StridedPlace a{0, type, head, strides},
        b{begin, type, rest, strides};
    EXPECT_TRUE(areApart(a, b) && areApart(b, a)) << round;
    ++cut;
    // Anything else.
    b.begin = static_cast<uint64_t>(below(40)) * width;
    Dims others{below(12), below(12), below(12), below(12)};
    program::StridedPlace c{0, ElementType::BF16, shape, others};
    for (const program::StridedPlace &other : {a, c}) {
      if (!areApart(b, other))
        continue;
      std::set<uint64_t> bytes = listBytes(b);
      for (uint64_t byte : listBytes(other))
        ASSERT_FALSE(bytes.contains(byte)) << round;
      ++apart;
    }
  }
  EXPECT_EQ(cut, 4000);
  EXPECT_GT(apart, 500);
}

class VerifyCalls : public testing::TestWithParam<Case> {};

TEST_P(VerifyCalls, Refuses) { expectRefusal(makeLineProgram(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Calls, VerifyCalls, testing::ValuesIn(callCases()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Matmuls, VerifyCalls, testing::ValuesIn(matmulCases()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Attentions, VerifyCalls,
                         testing::ValuesIn(attentionCases()), nameOf);
