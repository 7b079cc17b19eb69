#include "Modules.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;
using program::CodeFormat;
using program::CodeSection;

/// What a kernel may use without asking for more.
static constexpr uint32_t kDefaultSharedBytes = 48 * 1024;

Status Modules::findStage(const CudaApi &api, const program::KernelStage &stage,
                          const Device &device, LoadedKernel &kernel) {
  const std::string symbol = stage.symbol()->str();
  KernelStage found = {nullptr, stage.grid(), stage.block(),
                       stage.shared_bytes()};
  if (auto error = api.cudaLibraryGetKernel(
          &found.function, libraries.back().get(), symbol.c_str()))
    return makeStatus(api, error, "kernel '" + symbol + "'");
  if (found.sharedBytes > kDefaultSharedBytes)
    if (auto error = api.cudaKernelSetAttributeForDevice(
            found.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
            static_cast<int>(found.sharedBytes), device.ordinal))
      return makeStatus(api, error,
                        std::to_string(found.sharedBytes) +
                            " bytes of shared memory for kernel '" + symbol +
                            "'");
  kernel.stages.push_back(found);
  return {};
}

/// PTX ends with a zero for the driver; the section's bytes may not.
static Result<Library> loadLibrary(const CudaApi &api,
                                   const CodeSection &section) {
  auto bytes = program::toSpan(section.data());
  const void *code = bytes.data();
  std::string text;
  if (section.format() == CodeFormat::Ptx) {
    text.assign(bytes.begin(), bytes.end());
    code = text.c_str();
  }
  cudaLibrary_t library = nullptr;
  auto error = api.cudaLibraryLoadData(&library, code, nullptr, nullptr, 0,
                                       nullptr, nullptr, 0);
  if (error != cudaSuccess)
    return makeStatus(api, error,
                      "could not load the kernels for " +
                          section.target()->str());
  return Library(api, library);
}

Status Modules::loadSection(const CudaApi &api, const CodeSection &section,
                            const Device &device) {
  Result<Library> library = loadLibrary(api, section);
  if (!library)
    return library.status();
  libraries.push_back(std::move(*library));
  if (!section.launches())
    return {};
  for (const program::KernelLaunch *launch : *section.launches()) {
    LoadedKernel &kernel = kernels[launch->kernel()];
    kernel.workspaceBytes = launch->workspace_bytes();
    if (!launch->stages())
      continue;
    for (const program::KernelStage *stage : *launch->stages())
      if (Status status = findStage(api, *stage, device, kernel); !status.ok())
        return status;
  }
  return {};
}

Result<Modules> Modules::load(const CudaApi &api,
                              const program::Program &program,
                              const Device &device) {
  auto sections = chooseCode(program, device);
  if (!sections)
    return sections.status();
  Modules modules;
  modules.kernels.resize(program.kernels() ? program.kernels()->size() : 0);
  for (const CodeSection *section : *sections) {
    if (Status status = modules.loadSection(api, *section, device);
        !status.ok())
      return status;
    bool ptx = section->format() == CodeFormat::Ptx;
    modules.name = section->target()->str() + (ptx ? " (PTX)" : " (cubin)");
  }
  return modules;
}

uint64_t Modules::workspaceBytes() const {
  uint64_t largest = 0;
  for (const LoadedKernel &kernel : kernels)
    largest = std::max(largest, kernel.workspaceBytes);
  return largest;
}
