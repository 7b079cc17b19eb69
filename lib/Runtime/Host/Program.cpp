#include "mpc/Runtime/Program.h"
#include "CodeLibrary.h"
#include "mpc/Program/InstructionSets.h"

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::CodeSection;
using mpc::program::ProgramFile;
using mpc::program::toSpan;

static constexpr std::string_view kTargets[] = {"cpu", "cuda"};

Program::Program(ProgramFile contents) : contents(std::move(contents)) {}
Program::~Program() = default;

static const CodeSection *findSection(const program::Program &program,
                                      std::string_view target) {
  for (const CodeSection *section : *program.code())
    if (section->format() == program::CodeFormat::ElfSharedObject &&
        section->target()->string_view() == target)
      return section;
  return nullptr;
}

static Status noUsableCode(const program::Program &program) {
  std::string message = "no code section of the program runs here:";
  for (const CodeSection *section : *program.code()) {
    std::string missing;
    canRun(section->target()->string_view(), &missing);
    message += " '" + section->target()->str() + "' needs " + missing + ";";
  }
  return {StatusCode::CpuUnsupported,
          message + " run it on a machine of level x86-64-v3 or above"};
}

Status Program::loadCode(const LoadOptions &options) {
  codeAllowed = options.allowCode;
  if (!contents->kernels() || contents->kernels()->size() == 0)
    return {};
  if (!codeAllowed || isForDevice())
    return {};
  const CodeSection *section = nullptr;
  for (std::string_view candidate : program::kInstructionSets)
    if (!section && canRun(candidate))
      section = findSection(*contents, candidate);
  if (!section)
    return noUsableCode(*contents);
  Result<std::unique_ptr<CodeLibrary>> library =
      CodeLibrary::load(toSpan(section->data()));
  if (!library)
    return library.status();
  code = std::move(*library);
  target = section->target()->str();
  for (const program::Kernel *kernel : *contents->kernels()) {
    void *address = code->find(kernel->symbol()->c_str());
    if (!address)
      return {StatusCode::CodeUnusable,
              "code section '" + target + "' lacks the kernel '" +
                  kernel->symbol()->str() + "'; compile the model again"};
    kernels.push_back(reinterpret_cast<KernelFunction>(address));
  }
  return {};
}

bool Program::isForDevice() const {
  return contents->target()->string_view() != "cpu";
}

Status Program::checkRunnable() const {
  size_t wanted = contents->kernels() ? contents->kernels()->size() : 0;
  if (wanted == 0 || codeAllowed)
    return {};
  return {StatusCode::CodeNotAllowed,
          "the program brings " + std::to_string(wanted) +
              " compiled kernels, but it was loaded without allowing code; set "
              "allow_code if you trust where it comes from"};
}

Result<std::shared_ptr<const Program>>
Program::load(ProgramFile contents, const LoadOptions &options) {
  std::shared_ptr<Program> program(new Program(std::move(contents)));
  if (Status status = program->loadCode(options); !status.ok())
    return status;
  if (options.log && !program->target.empty())
    options.log(LogLevel::Info,
                "kernels: " + std::to_string(program->kernels.size()) +
                    " for " + program->target);
  return std::shared_ptr<const Program>(std::move(program));
}

Result<std::shared_ptr<const Program>>
Program::open(const std::string &path, const LoadOptions &options) {
  Result<ProgramFile> file = ProgramFile::open(path, kTargets);
  if (!file)
    return file.status();
  return load(std::move(*file), options);
}

Result<std::shared_ptr<const Program>>
Program::copy(std::span<const uint8_t> bytes, const LoadOptions &options) {
  Result<ProgramFile> file = ProgramFile::copy(bytes, kTargets);
  if (!file)
    return file.status();
  return load(std::move(*file), options);
}
