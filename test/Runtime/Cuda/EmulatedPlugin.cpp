// The CUDA plug-in on a machine without a GPU: its own code, on FakeCuda,
// FakeCublasLt, FakeCudnn and FakeNccl, with the emulated kernels that
// emulate-cuda put into a program, and those of kernels/. What it trains is
// what a GPU would train, but for the order of sums in products.
//
// Threads, warps and blocks run in another order each time, so a result that
// depends on it shows as a difference between two runs. With MPC_EMULATED_NCCL
// set, a session that is alone reduces over a group of one by FakeNccl, on a
// line beside the computation, instead of copying. Ranks of mpc-run are
// processes, and FakeNccl adds what each has. With MPC_EMULATED_PLAIN set,
// cuBLASLt has algorithms for plain products only. With MPC_EMULATED_CUDNN set,
// cuDNN makes attention too, beside convolutions, and sums may depend on
// chance. MPC_EMULATED_FAULT=N lets piece N of the device's work fail, from 1;
// CUDA_LAUNCH_BLOCKING=1 means what it means to CUDA.
#include "Emulation/EmulatedCode.h"
#include "FakeCublasLt.h"
#include "FakeCuda.h"
#include "FakeCudnn.h"
#include "FakeNccl.h"
#include "Kernels/EmulatedKernels.h"
#include "Runtime/Cuda/CudaExecutor.h"
#include "Runtime/Cuda/Nccl/NcclCommunicator.h"
#include "mpc/Runtime/Plugin.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mpc;
using namespace mpc::test;

namespace {
/// One device for all sessions of the process.
class Machine {
public:
  static Machine &get() {
    static Machine machine;
    return machine;
  }
  const runtime::Platform &platform() const { return table; }
  /// Brings the kernels of `program` into the device's reach.
  Status add(const program::Program &program);

private:
  Machine();
  void addSection(const program::Program &program,
                  const program::CodeSection &section,
                  const emulation::EmulatedCode &code);

  FakeCuda cuda;
  runtime::fake::FakeCublasLt blas;
  runtime::fake::FakeCudnn cudnn;
  runtime::fake::FakeNccl nccl;
  runtime::RangeMarker marker = {[](const char *) {}, [] {}};
  runtime::Platform table;
  std::vector<std::unique_ptr<emulation::EmulatedCode>> loaded;
  uint64_t launches = 0; ///< also the seed of the next
};
} // namespace

Machine::Machine() {
  cuda.logging = false;
  cuda.devices = 8; // A rank each, as NCCL wants it.
  cuda.onBroken = [](const std::string &rule) {
    std::fprintf(stderr, "emulated CUDA: %s\n", rule.c_str());
  };
  std::strcpy(cuda.properties.name, "Emulated H200");
  cuda.properties.major = 9;
  cuda.properties.minor = 0;
  if (const char *number = std::getenv("MPC_EMULATED_FAULT")) {
    cuda.failingWork = std::strtoull(number, nullptr, 10);
    cuda.failure = cudaErrorIllegalAddress;
  }
  const char *blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  cuda.blocking = blocking && std::strcmp(blocking, "1") == 0;
  if (std::getenv("MPC_EMULATED_PLAIN"))
    for (uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT + 1;
         epilogue <= CUBLASLT_EPILOGUE_DGELU; ++epilogue)
      blas.lacking.insert(epilogue);
  auto submit = [this](cudaStream_t stream, std::function<void()> work) {
    (void)cuda.enqueue(stream, "library", std::move(work));
  };
  blas.submit = submit;
  nccl.submit = submit;
  nccl.amongProcesses = true;
  cudnn.submit = [this](cudaStream_t stream,
                        const std::function<std::string()> &work) {
    (void)cuda.enqueue(stream, "library", [work] {
      if (std::string failure = work(); !failure.empty())
        std::fprintf(stderr, "emulated cuDNN: %s\n", failure.c_str());
    });
  };
  FakeKernel multiTensor;
  multiTensor.name = "multi-tensor";
  multiTensor.parameters = {sizeof(kernels::Parameters)};
  multiTensor.body = [this](const FakeLaunch &launch) {
    kernels::Parameters parameters;
    std::memcpy(&parameters, launch.arguments[0], sizeof parameters);
    return runKernel(launch.function, launch.grid, launch.block, parameters,
                     ++launches);
  };
  cuda.anyFunction = multiTensor;
  FakeKernel attention;
  attention.name = "attention";
  attention.parameters = {sizeof(kernels::AttentionParameters)};
  attention.body = [this](const FakeLaunch &launch) {
    kernels::AttentionParameters parameters;
    std::memcpy(static_cast<void *>(&parameters), launch.arguments[0],
                sizeof parameters);
    return runAttention(launch.function, launch.grid, launch.block,
                        launch.sharedBytes, parameters, ++launches);
  };
  for (const void *function : findAttentionKernels())
    cuda.functions[function] = attention;
  table.cuda = &cuda.api();
  table.openCublasLt = []() -> Result<const runtime::CublasLtApi *> {
    return &get().blas.api();
  };
  table.openCudnn = []() -> Result<const runtime::CudnnApi *> {
    return &get().cudnn.api();
  };
  table.openNccl = []() -> Result<const runtime::NcclApi *> {
    return &get().nccl.api();
  };
  table.marker = &marker;
}

void Machine::addSection(const program::Program &program,
                         const program::CodeSection &section,
                         const emulation::EmulatedCode &code) {
  for (const program::KernelLaunch *launch : *section.launches()) {
    const program::Kernel &kernel = *program.kernels()->Get(launch->kernel());
    size_t pointers = program::toSpan(kernel.arg_bytes()).size() +
                      (launch->workspace_bytes() ? 1 : 0);
    for (const program::KernelStage *stage : *launch->stages()) {
      std::string symbol = stage->symbol()->str();
      FakeKernel &made = cuda.kernels[symbol];
      made.parameters.assign(pointers, sizeof(void *));
      made.body = [this, symbol, &code, pointers](const FakeLaunch &call) {
        std::vector<void *> arguments(pointers);
        for (size_t i = 0; i < pointers; ++i)
          std::memcpy(&arguments[i], call.arguments[i], sizeof(void *));
        emulation::Launch how = {.grid = {call.grid},
                                 .block = {call.block},
                                 .sharedBytes = call.sharedBytes,
                                 .seed = ++launches};
        return code.run(symbol, how, arguments.data());
      };
    }
  }
}

Status Machine::add(const program::Program &program) {
  for (uint32_t i = 0; program.code() && i < program.code()->size(); ++i) {
    const program::CodeSection &section = *program.code()->Get(i);
    if (section.format() != program::CodeFormat::Cubin || !section.launches())
      continue;
    std::string failure;
    auto code =
        emulation::EmulatedCode::load(program::toSpan(section.data()), failure);
    if (!code)
      return {StatusCode::CodeUnusable,
              "expected emulated kernels for " + section.target()->str() +
                  ", as emulate-cuda writes them, but: " + failure};
    addSection(program, section, *code);
    loaded.push_back(std::move(code));
  }
  return {};
}

static Result<std::vector<uint8_t>> makeRankId() {
  return runtime::makeUniqueId(**Machine::get().platform().openNccl());
}

static Result<std::unique_ptr<runtime::Executor>>
createExecutor(const program::Program &program,
               const runtime::DeviceOptions &options, const runtime::Log &log) {
  if (Status status = Machine::get().add(program); !status.ok())
    return status;
  runtime::DeviceOptions used = options;
  if (!used.ranks.given() && std::getenv("MPC_EMULATED_NCCL"))
    used.ranks.uniqueId = *makeRankId();
  if (std::getenv("MPC_EMULATED_CUDNN"))
    used.allowNondeterministic = true;
  else
    used.ownAttention = true;
  return runtime::CudaExecutor::create(Machine::get().platform(), program, used,
                                       log);
}

extern "C" __attribute__((visibility("default"))) const runtime::Plugin *
mpc_runtime_plugin() {
  static constexpr runtime::Plugin plugin = {MPC_PLUGIN_VERSION, createExecutor,
                                             makeRankId};
  return &plugin;
}
