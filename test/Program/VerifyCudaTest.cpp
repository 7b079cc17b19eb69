// One broken program for target "cuda" per semantic check, and programs of
// which any byte was changed.
#include "../Runtime/CudaProgram.h"
#include "VerifyCase.h"

#include <algorithm>
#include <cmath>
#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace mpc;
using namespace mpc::test;
using Case = VerifyCase;

/// Makes another of the product that has everything.
static void change(HandMade &made, void (*edit)(MatmulSpec &)) {
  MatmulSpec spec = makeFullProduct();
  edit(spec);
  made.program.calls[1] = spec.call();
}
static MultiTensorT &norm(HandMade &made) {
  return *made.program.multi_tensors[0];
}
static MultiTensorT &adam(HandMade &made) {
  return *made.program.multi_tensors[1];
}
static KernelLaunchT &launch(HandMade &made) {
  return *made.program.code[0]->launches[0];
}
static EntryT &step(HandMade &made) { return *made.program.entries[1]; }
/// Argument `index` of record `record` of "step".
static Arg &arg(HandMade &made, uint32_t record, uint32_t index) {
  return step(made).args[step(made).records[record].first_arg() + index];
}

/// Of the product that has everything.
static CallOperandT &operand(HandMade &made, OperandRole role) {
  auto &operands = made.program.calls[1]->operands;
  return **std::ranges::find_if(
      operands, [&](const auto &one) { return one->role == role; });
}

/// Gives the plain product (x, a -> y; 256, 128 and 512 bytes) a tail.
static void setTail(HandMade &made, uint32_t kernel,
                    std::vector<uint8_t> args) {
  made.program.calls[0]->tail_kernel = kernel;
  made.program.calls[0]->tail_args = std::move(args);
}

static const std::vector<Case> &matmulCases() {
  static const std::vector<Case> cases = {
      {"AuxWithoutEpilogue",
       [](HandMade &m) {
         change(m, [](MatmulSpec &p) { p.epilogue = Epilogue::None; });
       },
       "call 1 (matmul): expected an epilogue that the aux tensor belongs to"},
      {"DerivativeWithoutAux",
       [](HandMade &m) {
         std::erase_if(m.program.calls[1]->operands, [](auto &operand) {
           return operand->role == OperandRole::Aux;
         });
       },
       "call 1 (matmul): expected an aux tensor, no bias and no addend for the "
       "derivative "
       "of an "
       "epilogue"},
      {"DerivativeWithBias",
       [](HandMade &m) { change(m, [](MatmulSpec &p) { p.bias = true; }); },
       "expected an aux tensor, no bias and no addend"},
      {"Epilogue",
       [](HandMade &m) {
         change(m, [](MatmulSpec &p) { p.epilogue = Epilogue(9); });
       },
       "call 1 (matmul): unknown epilogue"},
      {"ScalesOfWideTypes",
       [](HandMade &m) {
         change(m, [](MatmulSpec &p) {
           p.operand = p.rhsOperand = ElementType::F16;
         });
       },
       "call 1 (matmul): scales are for 8-bit floats"},
      {"EightBitResult",
       [](HandMade &m) {
         change(m, [](MatmulSpec &p) { p.result = ElementType::F8E4M3; });
       },
       "call 1 (matmul): no product f8E4M3FN x f8E4M3FN -> f8E4M3FN"},
      {"Tail", [](HandMade &m) { setTail(m, 2, {2, 2}); },
       "call 0 (matmul): its tail is kernel 2 of 2"},
      {"AuxShape",
       [](HandMade &m) { operand(m, OperandRole::Aux).shape = {8, 4}; },
       "call 1 (matmul): expected aux to be 4x8xf16, but got 8x4xf16"},
      {"AuxWritten",
       [](HandMade &m) { operand(m, OperandRole::Aux).written = true; },
       "call 1 (matmul): expected aux to be read"},
      {"LhsScaleShape",
       [](HandMade &m) {
         operand(m, OperandRole::LhsScale).shape = {4};
         operand(m, OperandRole::LhsScale).strides = {1};
       },
       "call 1 (matmul): expected lhs_scale to be f32, but got 4xf32"},
      {"RhsScaleType",
       [](HandMade &m) {
         operand(m, OperandRole::RhsScale).type = ElementType::F16;
       },
       "call 1 (matmul): expected rhs_scale to be f32, but got f16"},
      {"OneScale", [](HandMade &m) { m.program.calls[1]->operands.pop_back(); },
       "call 1 (matmul): expected an operand rhs_scale"},
      {"TailOfScales",
       [](HandMade &m) {
         m.program.calls[1]->tail_kernel = 0;
         m.program.calls[1]->tail_args = {2, 2};
       },
       "call 1 (matmul): a tail does neither the addend nor scales"},
      {"TailOfAddend",
       [](HandMade &m) {
         change(m, [](MatmulSpec &p) {
           p.aux = p.derivative = p.scales = false;
           p.addend = true;
         });
         m.program.calls[1]->tail_kernel = 0;
         m.program.calls[1]->tail_args = {3, 2};
       },
       "call 1 (matmul): a tail does neither the addend nor scales"},
      {"DerivativeWithAddend",
       [](HandMade &m) { change(m, [](MatmulSpec &p) { p.addend = true; }); },
       "call 1 (matmul): expected an aux tensor, no bias and no addend for the "
       "derivative of an epilogue"},
      {"TailCount", [](HandMade &m) { setTail(m, 0, {2}); },
       "call 0 (matmul): expected 2 arguments for its tail, but got 1"},
      {"TailArgument", [](HandMade &m) { setTail(m, 0, {1, 3}); },
       "call 0 (matmul), argument 1 of its tail: is operand 3 of 3"},
      {"TailReach", [](HandMade &m) { setTail(m, 1, {2, 0, 2, 2}); },
       "call 0 (matmul), argument 1 of its tail: needs 512 bytes, but there "
       "are 256"},
      {"TailWrites", [](HandMade &m) { setTail(m, 0, {1, 0}); },
       "call 0 (matmul), argument 1 of its tail: writes what the call only "
       "reads"},
      {"ArgumentCount",
       [](HandMade &m) { change(m, [](MatmulSpec &p) { p.scales = false; }); },
       "record 4: expected 4 arguments, but got 6"},
      {"AuxReach",
       [](HandMade &m) { arg(m, 4, 3) = Arg(Space::State, 0, 2816); },
       "record 4, argument 3: needs 64 bytes at state offset 2816, but there "
       "are"},
      {"AuxOfForwardWrites",
       [](HandMade &m) {
         change(m, [](MatmulSpec &p) { p.derivative = false; });
         arg(m, 4, 3) = Arg(Space::Input, 0, 0);
       },
       "record 4, argument 3: writes to input memory"},
      {"ScaleReach",
       [](HandMade &m) { arg(m, 4, 5) = Arg(Space::Input, 0, 256); },
       "record 4, argument 5: needs 4 bytes at input offset 256, but there are "
       "256"},
      {"Misaligned",
       [](HandMade &m) { arg(m, 4, 0) = Arg(Space::Arena, 0, 8); },
       "record 4, argument 0: expected an offset that is a multiple of 256, "
       "but got 8"},
  };
  return cases;
}

static const std::vector<Case> &multiTensorCases() {
  static const std::vector<Case> cases = {
      {"Kind",
       [](HandMade &m) { adam(m).kind = static_cast<MultiTensorKind>(7); },
       "multi-tensor operation 1: unknown kind"},
      {"Empty", [](HandMade &m) { norm(m).counts.clear(); },
       "multi-tensor operation 0: expected 1 to 65535 tensors, but got 0"},
      {"Huge", [](HandMade &m) { norm(m).counts[0] = UINT64_MAX; },
       "multi-tensor operation 0: too many elements"},
      {"GradientType",
       [](HandMade &m) { norm(m).gradient_type = ElementType::F64; },
       "multi-tensor operation 0: expected gradients of f32, f16 or bf16"},
      {"CopyType", [](HandMade &m) { adam(m).copy_type = ElementType::F32; },
       "multi-tensor operation 1: expected copies of f16 or bf16"},
      {"NormWithCopies", [](HandMade &m) { norm(m).has_copies = true; },
       "multi-tensor operation 0: a norm takes a scale at most"},
      {"NotFinite", [](HandMade &m) { adam(m).beta1 = std::nan(""); },
       "multi-tensor operation 1: expected finite numbers"},
      {"Target",
       [](HandMade &m) {
         HandMade::record(step(m), RecordKind::MultiTensor, 2, {});
       },
       "record 8: runs multi-tensor operation 2 of 2"},
      {"NormArguments", [](HandMade &m) { norm(m).has_scale = false; },
       "record 5: expected 4 arguments, but got 5"},
      {"AdamArguments", [](HandMade &m) { adam(m).has_copies = false; },
       "record 6: expected 19 arguments, but got 21"},
      {"SgdArguments", [](HandMade &m) { adam(m).kind = MultiTensorKind::Sgd; },
       "record 6: expected 12 arguments, but got 21"},
      {"MomentumArguments",
       [](HandMade &m) {
         adam(m).kind = MultiTensorKind::Sgd;
         adam(m).momentum = 0.9;
       },
       "record 6: expected 16 arguments, but got 21"},
      {"GradientReach",
       [](HandMade &m) { norm(m).counts[0] = adam(m).counts[0] = 4000; },
       "record 5, argument 1: needs 8000 bytes at arena offset"},
      {"ResultWrites",
       [](HandMade &m) { arg(m, 6, 13) = Arg(Space::Input, 1, 0); },
       "record 6, argument 13: writes to input memory"},
      {"CopyWrites",
       [](HandMade &m) {
         m.program.constants.resize(64);
         arg(m, 6, 20) = Arg(Space::Constant, 0, 0);
       },
       "record 6, argument 20: writes to constant memory"},
      {"FoundInfWrites",
       [](HandMade &m) { arg(m, 5, 3) = Arg(Space::Input, 1, 0); },
       "record 5, argument 3: writes to input memory"},
  };
  return cases;
}

static const std::vector<Case> &codeCases() {
  static const std::vector<Case> cases = {
      {"Observation",
       [](HandMade &m) {
         HandMade::record(*m.program.entries.back(), RecordKind::Observe, 1,
                          {Arg(), Arg()}, 1);
       },
       "observations need target 'cpu'"},
      {"NoSections", [](HandMade &m) { m.program.code.clear(); },
       "expected a code section with the 2 kernels of the program, but got "
       "none"},
      {"ObjectForGpu",
       [](HandMade &m) {
         m.program.code[0]->format = CodeFormat::ElfSharedObject;
       },
       "code section 'sm_80': format ElfSharedObject is not for target 'cuda'"},
      {"Architecture", [](HandMade &m) { m.program.code[0]->target = "sm_9x"; },
       "code section 'sm_9x': expected an architecture like 'sm_90'"},
      {"Missing", [](HandMade &m) { m.program.code[1]->launches.clear(); },
       "code sections 'sm_90' (Cubin): expected every kernel once, but got "
       "'k_cast' 0 times"},
      {"Twice",
       [](HandMade &m) {
         m.program.code[2]->launches.push_back(makeLaunch(0, "again"));
       },
       "code sections 'sm_90' (Cubin): expected every kernel once, but got "
       "'k_cast' 2 times"},
      {"Unknown", [](HandMade &m) { launch(m).kernel = 2; },
       "code section 'sm_80': holds kernel 2 of 2"},
      {"NoStage", [](HandMade &m) { launch(m).stages.clear(); },
       "code section 'sm_80', kernel 'k_cast': expected a stage at least"},
      {"Symbol", [](HandMade &m) { launch(m).stages[0]->symbol = ""; },
       "code section 'sm_80', kernel 'k_cast', stage 0: expected a symbol"},
      {"NoGrid", [](HandMade &m) { launch(m).stages[0]->grid = 0; },
       "stage 0: expected a grid of 1 to 2^31 - 1 blocks, but got 0"},
      {"HugeGrid", [](HandMade &m) { launch(m).stages[0]->grid = UINT32_MAX; },
       "but got 4294967295"},
      {"NoBlock", [](HandMade &m) { launch(m).stages[0]->block = 0; },
       "stage 0: expected a block of 1 to 1024 threads, but got 0"},
      {"HugeBlock", [](HandMade &m) { launch(m).stages[0]->block = 1025; },
       "but got 1025"},
      {"Shared",
       [](HandMade &m) { launch(m).stages[0]->shared_bytes = 300 << 10; },
       "stage 0: expected at most 232448 bytes of shared memory, but got "
       "307200"},
      {"Workspace", [](HandMade &m) { launch(m).workspace_bytes = UINT64_MAX; },
       "kernel 'k_cast': workspace of more than 2^48 bytes"},
  };
  return cases;
}

class VerifyCuda : public testing::TestWithParam<Case> {};
TEST_P(VerifyCuda, Refuses) { expectRefusal(makeCudaProgram(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Matmuls, VerifyCuda, testing::ValuesIn(matmulCases()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(MultiTensors, VerifyCuda,
                         testing::ValuesIn(multiTensorCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Code, VerifyCuda, testing::ValuesIn(codeCases()),
                         nameOf);

TEST(VerifyCudaFile, TailsWorkInPlace) {
  HandMade made = makeCudaProgram();
  setTail(made, made.kernel("k_tail", {512, 256, 512}), {2, 0, 2});
  made.program.code.clear();
  addSection(made, "sm_80", CodeFormat::Cubin, 0, 3);
  auto good = serialize(made.program);
  EXPECT_TRUE(good) << good.status().message();
}

/// Nobody could tell what such a kernel reads.
TEST(VerifyCudaFile, TailsSayWhatTheyTake) {
  HandMade made = makeCudaProgram();
  setTail(made, made.kernel("k_tail", {}, 0), {});
  made.program.code.clear();
  addSection(made, "sm_80", CodeFormat::Cubin, 0, 3);
  auto bytes = serialize(made.program);
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.status().message().find(
                "call 0 (matmul): expected its tail, kernel 'k_tail', to say "
                "what it takes, but it has no arg_bytes"),
            std::string::npos)
      << bytes.status().message();
}

/// With the hash made right, the verifiers alone stand between the bytes and
/// the machine; the sanitizers watch the reading here.
TEST(VerifyCudaFile, FlippedAndResealedNeverCrashes) {
  constexpr std::string_view targets[] = {"cpu", "cuda"};
  HandMade made = makeCudaProgram();
  std::vector<uint8_t> bytes = *serialize(made.program);
  size_t refused = 0;
  for (size_t i = 64; i < bytes.size(); ++i)
    for (uint8_t mask : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> broken = bytes;
      broken[i] ^= mask;
      uint64_t hash = XXH64(broken.data() + 64, broken.size() - 64, 0);
      std::memcpy(broken.data() + 24, &hash, 8);
      refused += !ProgramFile::copy(broken, targets);
    }
  EXPECT_GT(refused, 1000u);
}
