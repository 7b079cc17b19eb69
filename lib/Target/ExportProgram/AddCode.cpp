// Compiled kernels as code sections of the program file.
#include "mpc/Target/ExportProgram.h"

using namespace mpc;
using program::CodeFormat;

void target::addCode(program::ProgramT &program, std::vector<CpuCode> code) {
  for (CpuCode &object : code) {
    auto section = std::make_unique<program::CodeSectionT>();
    section->target = std::move(object.target);
    section->format = CodeFormat::ElfSharedObject;
    section->data = std::move(object.data);
    program.code.push_back(std::move(section));
  }
}

static std::unique_ptr<program::KernelLaunchT>
launchOf(const target::CudaKernel &kernel) {
  auto launch = std::make_unique<program::KernelLaunchT>();
  launch->kernel = kernel.number;
  launch->workspace_bytes = kernel.launch.workspaceBytes;
  for (const emit::GpuStage &from : kernel.launch.stages) {
    auto stage = std::make_unique<program::KernelStageT>();
    stage->symbol = from.symbol;
    stage->grid = from.grid;
    stage->block = from.block;
    stage->shared_bytes = from.sharedBytes;
    launch->stages.push_back(std::move(stage));
  }
  return launch;
}

static void addSection(program::ProgramT &program, const target::CudaCode &code,
                       CodeFormat format, std::vector<uint8_t> data) {
  auto section = std::make_unique<program::CodeSectionT>();
  section->target = code.arch;
  section->format = format;
  section->data = std::move(data);
  for (const target::CudaKernel &kernel : code.kernels)
    section->launches.push_back(launchOf(kernel));
  program.code.push_back(std::move(section));
}

void target::addCode(program::ProgramT &program, std::vector<CudaCode> code) {
  for (CudaCode &part : code)
    if (!part.cubin.empty())
      addSection(program, part, CodeFormat::Cubin, std::move(part.cubin));
  for (const CudaCode &part : code)
    addSection(program, part, CodeFormat::Ptx,
               std::vector<uint8_t>(part.ptx.begin(), part.ptx.end()));
}
