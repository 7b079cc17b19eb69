// program-kernels: times the generated kernels of programs, in turns with a
// copy of device memory.
//
//   program-kernels [serve] [--json] [--rounds N] [--seconds S] PROGRAM.mpcx...
//
// Of each program the launches of its entry "forward" are timed, together as
// <program> and, where there are several, one by one as <program>#<number>.
// They run on random numbers at the places that the program's memory plan gives
// them; all programs share one block of device memory. Bytes are those that the
// kernels state to read and write.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no GPU.
#include "Cuda/Modules.h"
#include "kernels/driver/CudaDevice.h"
#include "kernels/driver/Fill.h"
#include "kernels/driver/Timed.h"
#include "mpc/Program/Program.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

using namespace mpc;
using kernels::CudaDevice;
using kernels::statusOf;
using kernels::Timed;
using kernels::TimedList;
using program::ElementType;

namespace {
constexpr uint64_t kAlignment = 256;

/// A program on the device. Its blocks lie one after the other in memory that
/// others use too.
class LoadedProgram {
public:
  static Result<std::unique_ptr<LoadedProgram>>
  load(const std::string &path, const runtime::Device &device);

  /// Of the block that `addTo` wants.
  uint64_t bytes() const { return total; }
  /// Records the launches that run in `memory`.
  Status addTo(TimedList &list, void *memory, cudaStream_t stream);

private:
  LoadedProgram(std::string name, program::ProgramFile file,
                runtime::Modules modules)
      : name(std::move(name)), file(std::move(file)),
        modules(std::move(modules)) {}

  Status plan();
  uint64_t reserve(uint64_t bytes);
  uint8_t *address(const program::Arg &arg, void *memory) const;
  Status launch(const program::Record &record, void *memory,
                cudaStream_t stream) const;
  uint64_t bytesOf(const program::Record &record) const;

  std::string name;
  program::ProgramFile file;
  runtime::Modules modules;
  const program::Entry *entry = nullptr;
  uint64_t total = 0, state = 0, arena = 0, constants = 0, workspace = 0;
  std::vector<uint64_t> inputs;
};
} // namespace

Result<std::unique_ptr<LoadedProgram>>
LoadedProgram::load(const std::string &path, const runtime::Device &device) {
  static constexpr std::string_view targets[] = {"cuda"};
  Result<program::ProgramFile> file = program::ProgramFile::open(path, targets);
  if (!file)
    return file.status();
  Result<runtime::Modules> modules =
      runtime::Modules::load(runtime::getCudaApi(), **file, device);
  if (!modules)
    return modules.status();
  std::unique_ptr<LoadedProgram> loaded(
      new LoadedProgram(std::filesystem::path(path).stem().string(),
                        std::move(*file), std::move(*modules)));
  if (Status status = loaded->plan(); !status.ok())
    return status;
  return loaded;
}

uint64_t LoadedProgram::reserve(uint64_t bytes) {
  uint64_t offset = total;
  total += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return offset;
}

/// Where the blocks of the program are.
Status LoadedProgram::plan() {
  for (const program::Entry *each : *file->entries())
    if (each->name()->str() == "forward")
      entry = each;
  if (!entry)
    return {StatusCode::NotFound, name + ": expected an entry 'forward'"};
  state = reserve(file->state_bytes());
  arena = reserve(file->arena_bytes());
  constants = reserve(program::toSpan(file->constants()).size());
  workspace = reserve(modules.workspaceBytes());
  if (!entry->inputs())
    return {};
  for (const program::Tensor *input : *entry->inputs()) {
    ElementType type = input->type();
    if (type != ElementType::F32 && type != ElementType::F16 &&
        type != ElementType::BF16)
      return {StatusCode::TypeMismatch, name + ": input '" +
                                            input->name()->str() +
                                            "' is no f32, f16 or bf16"};
    auto bytes = program::getTensorBytes(type, program::toSpan(input->shape()));
    inputs.push_back(reserve(bytes.value_or(0)));
  }
  return {};
}

uint8_t *LoadedProgram::address(const program::Arg &arg, void *memory) const {
  uint64_t base = 0;
  switch (arg.space()) {
  case program::Space::State:
    base = state;
    break;
  case program::Space::Arena:
    base = arena;
    break;
  case program::Space::Constant:
    base = constants;
    break;
  case program::Space::Input:
    base = inputs[arg.index()];
    break;
  }
  return static_cast<uint8_t *>(memory) + base + arg.offset();
}

Status LoadedProgram::launch(const program::Record &record, void *memory,
                             cudaStream_t stream) const {
  std::vector<void *> pointers;
  for (uint32_t i = 0; i < record.num_args(); ++i)
    pointers.push_back(
        address(*entry->args()->Get(record.first_arg() + i), memory));
  const runtime::LoadedKernel &kernel = modules.kernel(record.target());
  if (kernel.workspaceBytes > 0)
    pointers.push_back(static_cast<uint8_t *>(memory) + workspace);
  std::vector<void *> parameters;
  for (void *&pointer : pointers)
    parameters.push_back(static_cast<void *>(&pointer));
  for (const runtime::KernelStage &stage : kernel.stages) {
    Status status =
        statusOf(cudaLaunchKernel(
                     reinterpret_cast<const void *>(stage.function), stage.grid,
                     stage.block, parameters.data(), stage.sharedBytes, stream),
                 "cudaLaunchKernel");
    if (!status.ok())
      return status;
  }
  return {};
}

uint64_t LoadedProgram::bytesOf(const program::Record &record) const {
  const program::Kernel *kernel = file->kernels()->Get(record.target());
  return kernel->bytes_read() + kernel->bytes_written();
}

Status LoadedProgram::addTo(TimedList &list, void *memory,
                            cudaStream_t stream) {
  auto bytes = program::toSpan(file->constants());
  if (Status status = statusOf(
          cudaMemcpy(static_cast<uint8_t *>(memory) + constants, bytes.data(),
                     bytes.size(), cudaMemcpyHostToDevice),
          "cudaMemcpy");
      !status.ok())
    return status;
  std::vector<const program::Record *> launches;
  uint64_t sum = 0;
  for (const program::Record *record : *entry->records()) {
    if (record->kind() != program::RecordKind::Launch)
      return {StatusCode::InvalidArgument,
              name + ": expected nothing but generated kernels"};
    launches.push_back(record);
    sum += bytesOf(*record);
  }
  auto add = [&](std::string title, uint64_t moved,
                 std::vector<const program::Record *> records) -> Status {
    auto run = [&](cudaStream_t queue) {
      Status status;
      for (const program::Record *record : records)
        if (status.ok())
          status = launch(*record, memory, queue);
      return status;
    };
    auto timed = Timed::record(std::move(title), moved, 4, stream, run);
    if (!timed)
      return timed.status();
    list.push_back(std::move(*timed));
    return {};
  };
  if (Status status = add(name, sum, launches); !status.ok())
    return status;
  for (size_t i = 0; launches.size() > 1 && i < launches.size(); ++i)
    if (Status status = add(name + "#" + std::to_string(i),
                            bytesOf(*launches[i]), {launches[i]});
        !status.ok())
      return status;
  return {};
}

//===-- The program -------------------------------------------------------===//

namespace {
struct Options {
  bool serve = false;
  kernels::TurnOptions turns;
  std::vector<std::string> paths;
};
} // namespace

static bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    bool hasValue = i + 1 < argc;
    if (word == "serve" && i == 1)
      options.serve = true;
    else if (word == "--json")
      options.turns.json = true;
    else if (hasValue && options.turns.read(word, argv[i + 1]))
      ++i;
    else if (word.starts_with("--"))
      return false;
    else
      options.paths.push_back(word);
  }
  return !options.paths.empty() && options.turns.rounds > 0 &&
         options.turns.seconds > 0;
}

/// Loads all programs, and records them after a copy.
static Status prepare(const Options &options, CudaDevice &device,
                      std::vector<std::unique_ptr<LoadedProgram>> &programs,
                      TimedList &list) {
  Result<runtime::Device> found = runtime::findDevice(runtime::getCudaApi(), 0);
  if (!found)
    return found.status();
  constexpr uint64_t copyBytes = uint64_t(1) << 29;
  uint64_t bytes = 2 * copyBytes;
  for (const std::string &path : options.paths) {
    auto loaded = LoadedProgram::load(path, *found);
    if (!loaded)
      return loaded.status();
    bytes = std::max(bytes, (*loaded)->bytes());
    programs.push_back(std::move(*loaded));
  }
  Result<void *> memory = device.allocate(bytes);
  if (!memory)
    return memory.status();
  // Numbers below 1 as bf16, and so as f32; below 2 as f16.
  Status status = statusOf(kernels::fillRandom(*memory, DType::BF16, bytes / 2,
                                               -1, 1, 1, device.stream()),
                           "fillRandom");
  if (!status.ok())
    return status;
  auto *first = static_cast<uint8_t *>(*memory);
  list.push_back(
      kernels::queueCopy(first + copyBytes, first, copyBytes, device.stream()));
  for (auto &program : programs)
    if (status = program->addTo(list, *memory, device.stream()); !status.ok())
      return status;
  return {};
}

int main(int argc, char **argv) {
  enum ExitCode { Done = 0, Failed = 1, Usage = 2, NoGpu = 3 };
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs("usage: program-kernels [serve] [--json] [--rounds N] "
               "[--seconds S] PROGRAM.mpcx...\n",
               stderr);
    return Usage;
  }
  auto fail = [](const Status &status) {
    std::fprintf(stderr, "program-kernels: %s\n", status.message().c_str());
    return status.code() == StatusCode::DeviceUnsupported ? NoGpu : Failed;
  };
  Result<CudaDevice> device = CudaDevice::open();
  if (!device)
    return fail(device.status());
  std::vector<std::unique_ptr<LoadedProgram>> programs;
  TimedList list;
  if (Status status = prepare(options, *device, programs, list); !status.ok())
    return fail(status);
  if (options.serve) {
    kernels::serve(list, std::cin, std::cout);
    return Done;
  }
  Status status = kernels::timeInTurns(list, options.turns);
  return status.ok() ? Done : fail(status);
}
