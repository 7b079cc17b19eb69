// Writes a small program file without the compiler, for tests of what runs
// programs: linear least squares on batches of 4 samples of 3 numbers and 2
// classes, with every kind of state that a compiled program has. With "cuda"
// for a target it has the same interface, and code that no device runs. With
// "intruder" its code says "the intruder ran" when it is loaded, and its source
// wants a file of the reader's machine. With "hostile" names hold what
// terminals obey. With "latin1" a name is not UTF-8. With "idle" a step has two
// batches, of which the first has no records to run.
#include "mpc/Program/Program.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

using namespace mpc;
using namespace mpc::program;

namespace {

struct Place {
  ElementType type;
  std::vector<int64_t> shape;
  Arg location;
};

class ToyProgram {
public:
  explicit ToyProgram(std::vector<uint8_t> code);
  ProgramT program;

private:
  Arg state(const char *name, ElementType type, std::vector<int64_t> shape,
            Role role, InitKind kind, double a = 0, double b = 0,
            const char *of = "");
  Place arena(ElementType type, std::vector<int64_t> shape);
  EntryT &entry(const char *name);
  void output(EntryT &entry, const char *name, const Place &place);
  void launch(EntryT &entry, const char *symbol, std::vector<Arg> args,
              std::vector<uint64_t> bytes, uint16_t numResults);
};

void makeCuda(ProgramT &program) {
  program.target = "cuda";
  CodeSectionT &section = *program.code.front();
  section.target = "sm_90";
  section.format = CodeFormat::Cubin;
  for (uint32_t i = 0; i < program.kernels.size(); ++i) {
    auto launch = std::make_unique<KernelLaunchT>();
    launch->kernel = i;
    launch->workspace_bytes = 512;
    for (const char *stage : {"_0", "_1"}) {
      launch->stages.push_back(std::make_unique<KernelStageT>());
      launch->stages.back()->symbol = program.kernels[i]->symbol + stage;
      launch->stages.back()->grid = 3;
      launch->stages.back()->block = 128;
    }
    section.launches.push_back(std::move(launch));
  }
  auto norm = std::make_unique<MultiTensorT>();
  norm->counts = {6, 2};
  program.multi_tensors.push_back(std::move(norm));
}

void makeIntruder(ProgramT &program) {
  program.source = std::make_unique<SourceT>();
  auto option = std::make_unique<KeyValueT>();
  option->key = "policy-file";
  option->value = "/etc/passwd";
  program.source->options.push_back(std::move(option));
}

void makeLatin1(ProgramT &program) {
  for (const auto &entry : program.entries)
    for (const auto &output : entry->outputs)
      if (output->name == "grad_norm")
        output->name = "gr\xf6\xdf"
                       "e";
}

/// Names that a terminal would obey.
void makeHostile(ProgramT &program) {
  const std::string clear = "\x1b[2J", title = "\x1b]0;mine\x07",
                    up = "\xc2\x9b"
                         "1A";
  program.model = "toy" + clear;
  program.producer += title;
  program.settings.front()->value = "fp32\nstates\x7f";
  for (const auto &entry : program.entries) {
    for (const auto &input : entry->inputs)
      if (input->name == "x")
        input->name += up;
    for (const auto &output : entry->outputs)
      if (output->name == "logits")
        output->name += clear;
    for (Record &record : entry->records)
      record.mutate_name(static_cast<uint32_t>(program.names.size()));
  }
  program.names.push_back("step" + clear + " (forward) at " + up + ".mlir:3");
}

void makeIdle(ProgramT &program) {
  auto setting = std::make_unique<KeyValueT>();
  setting->key = "accumulate";
  setting->value = "2";
  program.settings.push_back(std::move(setting));
  auto idle = std::make_unique<EntryT>(*program.entries.back());
  idle->name = "accumulate";
  idle->records.clear();
  idle->args.clear();
  idle->outputs.clear();
  program.entries.push_back(std::move(idle));
}

constexpr struct {
  std::string_view name;
  void (*make)(ProgramT &);
} kKinds[] = {{"cuda", makeCuda},
              {"hostile", makeHostile},
              {"idle", makeIdle},
              {"intruder", makeIntruder},
              {"latin1", makeLatin1}};

ToyProgram::ToyProgram(std::vector<uint8_t> code) {
  program.producer = "make-toy-program";
  program.target = "cpu";
  program.model = "toy";
  auto setting = std::make_unique<KeyValueT>();
  setting->key = "precision";
  setting->value = "fp32";
  program.settings.push_back(std::move(setting));

  constexpr ElementType f32 = ElementType::F32, i32 = ElementType::I32;
  Arg w = state("w", f32, {3, 2}, Role::Parameter, InitKind::Normal, 0, 0.5);
  Arg momentum = state("w.momentum_buffer", f32, {3, 2}, Role::Moment,
                       InitKind::Zeros, 0, 0, "w");
  Arg copy = state("w.copy", f32, {3, 2}, Role::WeightCopy, InitKind::Derived,
                   0, 0, "w");
  Arg scale =
      state("scaler.scale", f32, {}, Role::LossScale, InitKind::Fill, 1048576);
  Arg tracker =
      state("scaler.growth_tracker", i32, {}, Role::Scaler, InitKind::Zeros);
  Arg step = state("step", i32, {}, Role::StepCounter, InitKind::Zeros);
  Arg skipped = state("skipped", i32, {}, Role::Counter, InitKind::Zeros);
  Arg lr =
      state("optimizer.lr", f32, {}, Role::LearningRate, InitKind::Fill, 0.25);

  Place logits = arena(f32, {4, 2}), loss = arena(f32, {}),
        norm = arena(f32, {});
  Place found = arena(ElementType::I1, {}), used = arena(f32, {});
  Arg x(Space::Input, 0, 0), label(Space::Input, 1, 0);

  EntryT &init = entry("init");
  init.inputs.clear();
  init.args = {w, copy};
  init.records.emplace_back(RecordKind::Copy, 2, 0, 0, kNoName, 24, 1);

  EntryT &forward = entry("forward");
  output(forward, "loss", loss);
  output(forward, "logits", logits);
  launch(forward, "toy_forward",
         {x, label, copy, logits.location, loss.location}, {48, 16, 24, 32, 4},
         2);

  EntryT &train = entry("step");
  output(train, "loss", loss);
  output(train, "logits", logits);
  output(train, "found_inf", found);
  output(train, "scale", used);
  output(train, "grad_norm", norm);
  launch(train, "toy_step",
         {x, label, lr, w, momentum, copy, scale, tracker, step, skipped,
          logits.location, loss.location, norm.location, found.location,
          used.location},
         {48, 16, 4, 24, 24, 24, 4, 4, 4, 4, 32, 4, 4, 1, 4}, 12);

  auto memory = std::make_unique<MemoryCategoryT>();
  memory->name = "activations";
  memory->bytes = program.arena_bytes;
  program.memory.push_back(std::move(memory));
  auto section = std::make_unique<CodeSectionT>();
  section->target = "x86-64-v3";
  section->data = std::move(code);
  program.code.push_back(std::move(section));
}

Arg ToyProgram::state(const char *name, ElementType type,
                      std::vector<int64_t> shape, Role role, InitKind kind,
                      double a, double b, const char *of) {
  auto state = std::make_unique<StateT>();
  state->name = name;
  state->type = type;
  state->bytes = *getTensorBytes(type, shape);
  state->shape = std::move(shape);
  state->role = role;
  state->of = of;
  state->init = std::make_unique<Init>(kind, a, b);
  state->offset = program.state_bytes;
  program.state_bytes += kAlignment;
  Arg location(Space::State, 0, state->offset);
  program.states.push_back(std::move(state));
  return location;
}

Place ToyProgram::arena(ElementType type, std::vector<int64_t> shape) {
  Arg location(Space::Arena, 0, program.arena_bytes);
  program.arena_bytes += kAlignment;
  return {type, std::move(shape), location};
}

EntryT &ToyProgram::entry(const char *name) {
  auto entry = std::make_unique<EntryT>();
  entry->name = name;
  auto input = [&](const char *inputName, ElementType type,
                   std::vector<int64_t> shape) {
    auto tensor = std::make_unique<TensorT>();
    tensor->name = inputName;
    tensor->type = type;
    tensor->shape = std::move(shape);
    entry->inputs.push_back(std::move(tensor));
  };
  input("x", ElementType::F32, {4, 3});
  input("label", ElementType::I32, {4});
  program.entries.push_back(std::move(entry));
  return *program.entries.back();
}

void ToyProgram::output(EntryT &entry, const char *name, const Place &place) {
  auto tensor = std::make_unique<TensorT>();
  tensor->name = name;
  tensor->type = place.type;
  tensor->shape = place.shape;
  tensor->location = std::make_unique<Arg>(place.location);
  entry.outputs.push_back(std::move(tensor));
}

void ToyProgram::launch(EntryT &entry, const char *symbol,
                        std::vector<Arg> args, std::vector<uint64_t> bytes,
                        uint16_t numResults) {
  auto kernel = std::make_unique<KernelT>();
  kernel->symbol = symbol;
  kernel->arg_bytes = std::move(bytes);
  kernel->num_results = numResults;
  kernel->extent = 1;
  for (size_t i = 0; i < kernel->arg_bytes.size(); ++i)
    (i + numResults < kernel->arg_bytes.size() ? kernel->bytes_read
                                               : kernel->bytes_written) +=
        kernel->arg_bytes[i];
  auto target = static_cast<uint32_t>(program.kernels.size());
  auto name = static_cast<uint32_t>(program.names.size());
  program.names.push_back(symbol);
  program.kernels.push_back(std::move(kernel));
  entry.args = std::move(args);
  entry.records.emplace_back(RecordKind::Launch,
                             static_cast<uint16_t>(entry.args.size()), 0,
                             target, name, /*extent=*/1, /*grain=*/1);
}

} // namespace

int main(int argc, char **argv) {
  std::string_view kind = argc == 3 ? argv[2] : "";
  const auto *known =
      std::ranges::find(kKinds, kind, [](const auto &row) { return row.name; });
  if (argc != 2 && known == std::end(kKinds)) {
    std::fprintf(stderr, "usage: make-toy-program FILE.mpcx [cuda | idle | "
                         "intruder | latin1]\n");
    return 2;
  }
  std::ifstream file(kind == "intruder" ? MPC_INTRUDER_KERNELS
                                        : MPC_TOY_KERNELS,
                     std::ios::binary);
  std::vector<uint8_t> code{std::istreambuf_iterator<char>(file), {}};
  ToyProgram toy(std::move(code));
  if (known != std::end(kKinds))
    known->make(toy.program);
  Result<std::vector<uint8_t>> bytes = serialize(toy.program);
  Status status = bytes ? writeFile(argv[1], *bytes) : bytes.status();
  if (!status.ok())
    std::fprintf(stderr, "make-toy-program: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
