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

/// With an addend.
static CallT &addSum(HandMade &made) {
  MatmulSpec spec = kGood;
  spec.addend = true;
  addMatmul(made, spec);
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
      {"MatmulExtended",
       [](HandMade &m) {
         MatmulSpec spec = kGood;
         spec.epilogue = Epilogue::Relu;
         spec.derivative = true;
         addMatmul(m, spec);
       },
       "call 0 (matmul): aux, derivative and scales need target 'cuda'"},
      {"MatmulAccumulate",
       [](HandMade &m) { addCall(m).options.AsMatmul()->accumulate = true; },
       "call 0 (matmul): expected what the product is added to as an operand "
       "addend"},
      {"MatmulAddendOnCpu", [](HandMade &m) { addSum(m); },
       "call 0 (matmul): an addend needs target 'cuda'"},
      {"MatmulAddendType",
       [](HandMade &m) { addSum(m).operands[3]->type = ElementType::F16; },
       "call 0 (matmul): expected addend to be 4x2xf32, but got 4x2xf16"},
      {"MatmulAddendRow",
       [](HandMade &m) { addSum(m).operands[3]->shape = {1, 2}; },
       "call 0 (matmul): expected addend to be 4x2xf32, but got 1x2xf32"},
      {"MatmulAddendBroadcast",
       [](HandMade &m) { addSum(m).operands[3]->strides = {0, 1}; },
       "call 0 (matmul): expected addend to be 4x2xf32, but got 4x2xf32 "
       "strides "
       "[0, 1]"},
      {"MatmulAddendWritten",
       [](HandMade &m) { addSum(m).operands[3]->written = true; },
       "call 0 (matmul): expected addend to be read"},
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
