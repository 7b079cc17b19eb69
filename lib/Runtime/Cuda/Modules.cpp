#include "Modules.h"

#include <algorithm>
#include <cstring>

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

static Status explain(const CudaApi &api, cudaError_t error,
                      const CodeSection &section, std::string_view log) {
  Status status = makeStatus(
      api, error, "could not load the kernels for " + section.target()->str());
  if (log.empty())
    return status;
  return {status.code(), status.message() + ": " + std::string(log)};
}

static Result<Library> loadCubin(const CudaApi &api,
                                 const CodeSection &section) {
  cudaLibrary_t library = nullptr;
  auto error =
      api.cudaLibraryLoadData(&library, section.data()->data(), nullptr,
                              nullptr, 0, nullptr, nullptr, 0);
  if (error != cudaSuccess)
    return explain(api, error, section, "");
  return Library(api, library);
}

/// The driver compiles it, and says in a log what it does not like.
static Result<Library> loadPtx(const CudaApi &api, const CodeSection &section) {
  auto bytes = program::toSpan(section.data());
  std::string text(bytes.begin(), bytes.end()); // ends with a zero
  char log[512] = {};
  cudaJitOption options[] = {cudaJitErrorLogBuffer,
                             cudaJitErrorLogBufferSizeBytes};
  // The size of the log is passed as a pointer.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  cudaLibrary_t library = nullptr;
  auto error = api.cudaLibraryLoadData(&library, text.c_str(), options, values,
                                       2, nullptr, nullptr, 0);
  if (error != cudaSuccess)
    return explain(api, error, section,
                   std::string_view(log, strnlen(log, sizeof log)));
  return Library(api, library);
}

Status Modules::loadSection(const CudaApi &api, const CodeSection &section,
                            const Device &device) {
  Result<Library> library = section.format() == CodeFormat::Ptx
                                ? loadPtx(api, section)
                                : loadCubin(api, section);
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
