// One broken program for target "cpu" per semantic check.
#include "../Runtime/LineProgram.h"
#include "VerifyCase.h"

using namespace mpc;
using namespace mpc::test;
using Case = VerifyCase;

static EntryT &step(HandMade &made) { return *made.program.entries[1]; }

static void addMatmul(HandMade &made, MatmulSpec spec) {
  made.program.calls.push_back(spec.call());
}

static void addCollective(HandMade &made, ElementType type,
                          std::vector<uint64_t> counts) {
  made.program.collectives.push_back(std::make_unique<CollectiveT>());
  made.program.collectives.back()->type = type;
  made.program.collectives.back()->counts = std::move(counts);
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

static const std::vector<Case> &stateCases() {
  static const std::vector<Case> cases = {
      {"StateType",
       [](HandMade &m) {
         m.program.states[0]->type = static_cast<ElementType>(77);
       },
       "state 'w': expected an element type, but got number 77"},
      {"NegativeDim", [](HandMade &m) { m.program.states[0]->shape = {-1}; },
       "state 'w': shape -1xf32 has a negative dim or too many bytes"},
      {"HugeShape",
       [](HandMade &m) { m.program.states[0]->shape = {INT64_MAX, INT64_MAX}; },
       "has a negative dim or too many bytes"},
      {"StateBytes", [](HandMade &m) { m.program.states[0]->bytes = 8; },
       "state 'w': expected 4 bytes for 1x1xf32, but got 8"},
      {"StateOffset", [](HandMade &m) { m.program.states[0]->offset = 4; },
       "state 'w': expected an offset that is a multiple of 256, but got 4"},
      {"StateBeyond",
       [](HandMade &m) { m.program.states[0]->offset = 1 << 20; },
       "state 'w': ends beyond the 1024 bytes of the state block"},
      {"StateOverlap", [](HandMade &m) { m.program.states[1]->offset = 0; },
       "overlap"},
      {"StateTwice", [](HandMade &m) { m.program.states[1]->name = "w"; },
       "state 'w': defined twice"},
      {"StateOf", [](HandMade &m) { m.program.states[2]->of = "q"; },
       "state 'w.copy': belongs to 'q', which is no state"},
      {"StateRole",
       [](HandMade &m) { m.program.states[0]->role = static_cast<Role>(200); },
       "state 'w': unknown role"},
      {"NoInit", [](HandMade &m) { m.program.states[0]->init = nullptr; },
       "state 'w': expected an initialiser"},
      {"RandomInteger",
       [](HandMade &m) { m.program.states[0]->type = ElementType::I32; },
       "for a random initialiser, but got i32"},
      {"FillEightBit",
       [](HandMade &m) {
         m.state("f8", ElementType::F8E4M3, {4}, Init(InitKind::Fill, 1, 0));
       },
       "state 'f8': no fill initialiser for 8-bit floats"},
      {"AccumulatorInit",
       [](HandMade &m) { m.program.states[0]->role = Role::Accumulator; },
       "state 'w': expected an accumulator to start at zero"},
      {"AccumulateAlone",
       [](HandMade &m) { m.program.entries[1]->name = "accumulate"; },
       "entry 'accumulate': expected an entry 'step' beside it"},
      {"AccumulateInputs", [](HandMade &m) { m.entry("accumulate"); },
       "entry 'accumulate': expected the inputs of entry 'step'"},
      {"HugeState", [](HandMade &m) { m.program.state_bytes = UINT64_MAX; },
       "state or arena of more than 2^48 bytes"},
      {"DerivedMoment",
       [](HandMade &m) { m.program.states[2]->role = Role::Moment; },
       "state 'w.copy': expected a weight copy where the first value is "
       "derived, but got another role"},
      {"DerivedWithoutInit",
       [](HandMade &m) { m.program.entries[0]->name = "start"; },
       "state 'w.copy': is derived, but there is no entry 'init'"},
  };
  return cases;
}

static const std::vector<Case> &tableCases() {
  static const std::vector<Case> cases = {
      {"KernelTwice", [](HandMade &m) { m.kernel("k_sgd", {}, 0); },
       "kernel 'k_sgd': expected a symbol of its own"},
      {"KernelResults", [](HandMade &m) { m.kernel("k", {4}, 2); },
       "kernel 'k': expected at most 1 results, but got 2"},
      {"KernelExtent", [](HandMade &m) { m.program.kernels[0]->extent = 0; },
       "kernel 'k_line': expected an extent from 1 to 2^48, but got 0"},
      {"NoCode", [](HandMade &m) { m.program.code.clear(); },
       "expected a code section with the 2 kernels of the program, but got "
       "none"},
      {"CodeFormat",
       [](HandMade &m) {
         m.program.code[0]->format = static_cast<CodeFormat>(9);
       },
       "code section 'x86-64-v3': unknown format"},
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
      {"MultiTensor",
       [](HandMade &m) {
         m.program.multi_tensors.push_back(std::make_unique<MultiTensorT>());
       },
       "multi-tensor operation 0: needs target 'cuda'"},
      {"CubinForCpu",
       [](HandMade &m) { m.program.code[0]->format = CodeFormat::Cubin; },
       "code section 'x86-64-v3': format Cubin is not for target 'cpu'"},
      {"LaunchesForCpu",
       [](HandMade &m) {
         m.program.code[0]->launches.push_back(
             std::make_unique<KernelLaunchT>());
       },
       "code section 'x86-64-v3': launches are for GPUs"},
      {"CollectiveType",
       [](HandMade &m) { addCollective(m, ElementType::I1, {1}); },
       "collective: unknown kind or element type"},
      {"CollectiveCount",
       [](HandMade &m) { addCollective(m, ElementType::F32, {UINT64_MAX}); },
       "collective: too many elements"},
  };
  return cases;
}

static const std::vector<Case> &entryCases() {
  static const std::vector<Case> cases = {
      {"EntryTwice", [](HandMade &m) { m.entry("step"); },
       "entry 'step': defined twice"},
      {"InitWithInput",
       [](HandMade &m) {
         HandMade::input(*m.program.entries[0], "x", ElementType::F32, {1});
       },
       "entry 'init': expected no inputs"},
      {"ClassesOfFloats",
       [](HandMade &m) {
         step(m).inputs[0]->classes = std::make_unique<Classes>(2, 0, false);
       },
       "entry 'step', input 'x': expected classes of i32 or i64 labels"},
      {"NoClasses",
       [](HandMade &m) {
         HandMade::input(step(m), "y", ElementType::I64, {4});
         step(m).inputs.back()->classes =
             std::make_unique<Classes>(0, 0, false);
       },
       "entry 'step', input 'y': expected 1 class or more, but got 0"},
      {"InputTwice", [](HandMade &m) { step(m).inputs[1]->name = "x"; },
       "entry 'step', input 'x': defined twice"},
      {"OutputTwice",
       [](HandMade &m) {
         HandMade::output(step(m), "loss", ElementType::F32, {}, Arg());
       },
       "entry 'step', output 'loss': defined twice"},
      {"OutputNowhere",
       [](HandMade &m) { step(m).outputs[0]->location = nullptr; },
       "entry 'step', output 'loss': expected a location"},
      {"OutputBeyond", [](HandMade &m) { step(m).outputs[0]->shape = {1000}; },
       "entry 'step', output 'loss': needs 4000 bytes at arena offset 0, but "
       "there are 768"},
      {"ArgSpace",
       [](HandMade &m) { step(m).args[0] = Arg(static_cast<Space>(9), 0, 0); },
       "unknown address space"},
      {"ArgInput",
       [](HandMade &m) { step(m).args[0] = Arg(Space::Input, 7, 0); },
       "record 0, argument 0: reads input 7 of 2"},
      {"ArgBeyond",
       [](HandMade &m) { step(m).args[0] = Arg(Space::Input, 0, 4); },
       "needs 128 bytes at input offset 4, but there are 128"},
      {"ArgWritesInput",
       [](HandMade &m) { step(m).args[6] = Arg(Space::Input, 0, 0); },
       "record 0, argument 6: writes to input memory"},
      {"ArgWritesConstant",
       [](HandMade &m) {
         m.program.constants.resize(64);
         step(m).args[6] = Arg(Space::Constant, 0, 0);
       },
       "writes to constant memory"},
  };
  return cases;
}

static const std::vector<Case> &recordCases() {
  static const std::vector<Case> cases = {
      {"RecordKind",
       [](HandMade &m) {
         HandMade::record(step(m), static_cast<RecordKind>(9), 0, {});
       },
       "entry 'step', record 4: unknown kind"},
      {"RecordArgs", [](HandMade &m) { step(m).args.resize(3); },
       "record 0: takes arguments beyond the 3 of its entry"},
      {"RecordName",
       [](HandMade &m) {
         HandMade::record(step(m), RecordKind::Fill, 0, {Arg()}, 0, 1, 99);
       },
       "record 4: has name 99 of 2"},
      {"LaunchTarget",
       [](HandMade &m) {
         HandMade::record(step(m), RecordKind::Launch, 5, {});
       },
       "record 4: launches kernel 5 of 2"},
      {"LaunchGrain",
       [](HandMade &m) {
         HandMade::record(step(m), RecordKind::Launch, 1, {}, 1, 0);
       },
       "record 4: expected an extent of at most 2^48 and a grain from 1 to "
       "that, but got 1 and 0"},
      {"LaunchArgs",
       [](HandMade &m) {
         HandMade::record(step(m), RecordKind::Launch, 1, {Arg()});
       },
       "record 4: kernel 'k_sgd' expects 3 arguments, but got 1"},
      {"LaunchExtent",
       [](HandMade &m) {
         m.program.kernels[1]->extent = 5;
         HandMade::record(step(m), RecordKind::Launch, 1, {Arg(), Arg(), Arg()},
                          6);
       },
       "record 4: kernel 'k_sgd' has an extent of 5, but got 6"},
      {"LaunchWithoutReach",
       [](HandMade &m) { m.program.kernels[1]->arg_bytes.clear(); },
       "kernel 'k_sgd': expected at most 0 results, but got 1"},
      {"MatmulTarget",
       [](HandMade &m) { HandMade::record(step(m), RecordKind::Call, 0, {}); },
       "record 4: runs call 0 of 0"},
      {"MatmulArgs",
       [](HandMade &m) {
         addMatmul(m, kGood);
         HandMade::record(step(m), RecordKind::Call, 0, {Arg()});
       },
       "record 4: expected 3 arguments, but got 1"},
      {"MatmulReach",
       [](HandMade &m) {
         addMatmul(m, kGood);
         Arg end(Space::State, 0, m.program.state_bytes - 64);
         HandMade::record(step(m), RecordKind::Call, 0, {end, end, end});
       },
       "record 4, argument 0: needs 128 bytes at state offset 960, but there "
       "are 1024"},
      {"AllReduceTarget",
       [](HandMade &m) {
         HandMade::record(step(m), RecordKind::AllReduce, 0, {});
       },
       "record 4: runs collective 0 of 0"},
      {"AllReduceArgs",
       [](HandMade &m) {
         addCollective(m, ElementType::F32, {1, 1});
         HandMade::record(step(m), RecordKind::AllReduce, 0, {Arg(), Arg()});
       },
       "record 4: expected 4 arguments, but got 2"},
      {"AllReduceReach",
       [](HandMade &m) {
         addCollective(m, ElementType::F32, {1000});
         HandMade::record(step(m), RecordKind::AllReduce, 0, {Arg(), Arg()});
       },
       "needs 4000 bytes at state offset 0, but there are 1024"},
      {"UnusedArg",
       [](HandMade &m) { step(m).args.push_back(Arg(Space::Input, 2, 0)); },
       "reads input 2 of 2"},
      {"CopyArgs",
       [](HandMade &m) {
         HandMade::record(step(m), RecordKind::Copy, 0, {Arg()});
       },
       "record 4: expected 2 arguments, but got 1"},
      {"FillReach",
       [](HandMade &m) {
         HandMade::record(step(m), RecordKind::Fill, 0, {Arg()}, 2000);
       },
       "record 4, argument 0: needs 2000 bytes at state offset 0, but there "
       "are 1024"},
      {"ObserveType",
       [](HandMade &m) {
         auto type = static_cast<uint32_t>(ElementType::I32);
         HandMade::record(step(m), RecordKind::Observe, type, {Arg(), Arg()},
                          1);
       },
       "record 4: observes elements of unknown type 5"},
      {"ObserveReach",
       [](HandMade &m) {
         HandMade::record(step(m), RecordKind::Observe, 0, {Arg(), Arg()}, 1);
       },
       "record 4, argument 1: needs 2328 bytes at state offset 0, but there "
       "are 1024"},
  };
  return cases;
}

/// An entry `probe` with one output, and a probe that tells about it.
ProbeT &addProbe(HandMade &made, int64_t numbers) {
  Arg row = made.arena(numbers * sizeof(double));
  EntryT &entry = made.entry("probe");
  HandMade::output(entry, "y", ElementType::F64, {numbers}, row);
  made.program.probes.push_back(std::make_unique<ProbeT>());
  return *made.program.probes.back();
}

const std::vector<Case> &probeCases() {
  static const std::vector<Case> cases = {
      {"ProbeWithoutEntry",
       [](HandMade &m) {
         m.program.probes.push_back(std::make_unique<ProbeT>());
       },
       "probe 0: expected to tell about an output of entry 'probe'"},
      {"ProbeOutput", [](HandMade &m) { addProbe(m, 291).output = 1; },
       "probe 0: expected to tell about an output of entry 'probe'"},
      {"ProbeRow", [](HandMade &m) { addProbe(m, 290); },
       "probe 0: expected an output of 291 numbers of f64"},
      {"ProbeReads", [](HandMade &m) { addProbe(m, 291).reads = {1}; },
       "probe 0: reads probe 1 of 1"},
      {"ProbeShape", [](HandMade &m) { addProbe(m, 291).shape = {-1}; },
       "probe 0: shape -1xf64 has a negative dim or too many bytes"},
  };
  return cases;
}

class VerifyProgram : public testing::TestWithParam<Case> {};

TEST_P(VerifyProgram, Refuses) { expectRefusal(makeLineProgram(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(States, VerifyProgram, testing::ValuesIn(stateCases()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Calls, VerifyProgram, testing::ValuesIn(callCases()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Tables, VerifyProgram, testing::ValuesIn(tableCases()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Entries, VerifyProgram,
                         testing::ValuesIn(entryCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Records, VerifyProgram,
                         testing::ValuesIn(recordCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Probes, VerifyProgram, testing::ValuesIn(probeCases()),
                         nameOf);
