// One broken program for target "cpu" per semantic check.
#include "../Runtime/LineProgram.h"
#include "VerifyCase.h"

#include <cmath>

using namespace mpc;
using namespace mpc::test;
using Case = VerifyCase;

static EntryT &step(HandMade &made) { return *made.program.entries[1]; }

static void addMatmul(HandMade &made, MatmulSpec spec) {
  made.program.calls.push_back(spec.call());
}

static const MatmulSpec kGood = {
    ElementType::F32, ElementType::F32, {4, 8}, {8, 2}, {4, 2}};

static void addCollective(HandMade &made, ElementType type,
                          std::vector<uint64_t> counts) {
  made.program.collectives.push_back(std::make_unique<CollectiveT>());
  made.program.collectives.back()->type = type;
  made.program.collectives.back()->counts = std::move(counts);
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
      {"FillTooLarge",
       [](HandMade &m) {
         m.state("i", ElementType::I32, {}, Init(InitKind::Fill, 1e300, 0));
       },
       "state 'i': expected a whole number in [-2147483648, 2147483648) at "
       "first, but got 1e+300"},
      {"FillNaN",
       [](HandMade &m) {
         m.state("i", ElementType::I64, {}, Init(InitKind::Fill, NAN, 0));
       },
       "at first, but got nan"},
      {"FillHalf",
       [](HandMade &m) {
         m.state("i", ElementType::I1, {}, Init(InitKind::Fill, 0.5, 0));
       },
       "state 'i': expected a whole number in [0, 2) at first, but got 0.5"},
      {"NegativeCount",
       [](HandMade &m) {
         m.state("c", ElementType::I32, {}, Init(InitKind::Fill, -5, 0));
         m.program.states.back()->role = Role::StepCounter;
       },
       "state 'c': expected a whole number in [0, 2147483648) at first, but "
       "got -5"},
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
      {"ElementMisaligned",
       [](HandMade &m) {
         addCollective(m, ElementType::F32, {1});
         HandMade::record(step(m), RecordKind::AllReduce, 0,
                          {Arg(Space::State, 0, 2), Arg(Space::State, 0, 2)});
       },
       "record 4, argument 0: expected an offset that is a multiple of 4, but "
       "got 2"},
      {"OutputMisaligned",
       [](HandMade &m) {
         step(m).outputs[0]->location =
             std::make_unique<Arg>(Space::State, 0, 1);
       },
       "expected an offset that is a multiple of 4, but got 1"},
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
      {"StartWithoutDone",
       [](HandMade &m) {
         addCollective(m, ElementType::F32, {1});
         HandMade::record(step(m), RecordKind::AllReduceStart, 0,
                          {Arg(), Arg()});
       },
       "record 4: expected to be waited for"},
      {"DoneWithoutStart",
       [](HandMade &m) {
         addCollective(m, ElementType::F32, {1});
         HandMade::record(step(m), RecordKind::AllReduceDone, 0, {Arg(), Arg()},
                          3);
       },
       "record 4: expected to wait for an all-reduce under way, but got record "
       "3"},
      {"DoneTwice",
       [](HandMade &m) {
         addCollective(m, ElementType::F32, {1});
         HandMade::record(step(m), RecordKind::AllReduceStart, 0,
                          {Arg(), Arg()});
         for (int twice = 0; twice < 2; ++twice)
           HandMade::record(step(m), RecordKind::AllReduceDone, 0,
                            {Arg(), Arg()}, 4);
       },
       "record 6: expected to wait for an all-reduce under way, but got record "
       "4"},
      {"DoneOfAnother",
       [](HandMade &m) {
         addCollective(m, ElementType::F32, {1});
         HandMade::record(step(m), RecordKind::AllReduceStart, 0,
                          {Arg(), Arg()});
         HandMade::record(step(m), RecordKind::AllReduceDone, 0,
                          {Arg(), Arg(Space::State, 0, 4)}, 4);
       },
       "record 5: expected the collective and the arguments of record 4"},
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

/// Losses and parameter groups are no states.
TEST(VerifyProgramFile, StatesOfLossesAndGroups) {
  HandMade made = makeLineProgram();
  for (Role role : {Role::LossScale, Role::Scaler, Role::StepCounter,
                    Role::Counter, Role::LearningRate, Role::Hyperparameter}) {
    std::string name = "s" + std::to_string(static_cast<int>(role));
    made.state(name, ElementType::F32, {}, Init(InitKind::Fill, 1, 0), role);
    made.program.states.back()->of = "decay";
  }
  auto bytes = serialize(made.program);
  EXPECT_TRUE(bytes) << bytes.status().message();
}

INSTANTIATE_TEST_SUITE_P(States, VerifyProgram, testing::ValuesIn(stateCases()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Tables, VerifyProgram, testing::ValuesIn(tableCases()),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Entries, VerifyProgram,
                         testing::ValuesIn(entryCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Records, VerifyProgram,
                         testing::ValuesIn(recordCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Probes, VerifyProgram, testing::ValuesIn(probeCases()),
                         nameOf);
