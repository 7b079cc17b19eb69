// What a step for CUDA costs the host, apart from CUDA itself: the plug-in's
// own code on calls that return at once. The goal is 20 us per step with CUDA's
// calls, of which a step makes six; a call of cudart takes about 1 us, a launch
// of a graph about 5.
#include "../test/Runtime/Cuda/FakeCuda.h"
#include "../test/Runtime/CudaProgram.h"
#include "Runtime/Cuda/CudaExecutor.h"

#include <benchmark/benchmark.h>

using namespace mpc;
using namespace mpc::test;

/// A step with the inputs of examples/digits: 64 images and their labels.
static HandMade makeProgram() {
  HandMade made;
  made.program.target = "cuda";
  Arg loss = made.arena(4);
  uint32_t kernel = made.kernel("k", {16384, 256, 4}, 1, 1);
  EntryT &step = made.entry("step");
  Arg x = HandMade::input(step, "x", ElementType::F32, {64, 64});
  Arg label = HandMade::input(step, "label", ElementType::I32, {64});
  HandMade::record(step, RecordKind::Launch, kernel, {x, label, loss});
  HandMade::output(step, "loss", ElementType::F32, {}, loss);
  addSection(made, "sm_80", CodeFormat::Cubin, 0, 1);
  return made;
}

/// Everything that a step calls does nothing.
static void makeQuick(runtime::CudaApi &api) {
  api.cudaGetDevice = [](int *device) {
    *device = 0;
    return cudaSuccess;
  };
  api.cudaMemcpyAsync = [](void *, const void *, size_t, cudaMemcpyKind,
                           cudaStream_t) { return cudaSuccess; };
  api.cudaEventRecord = [](cudaEvent_t, cudaStream_t) { return cudaSuccess; };
  api.cudaEventQuery = [](cudaEvent_t) { return cudaSuccess; };
  api.cudaGraphLaunch = [](cudaGraphExec_t, cudaStream_t) {
    return cudaSuccess;
  };
}

static void cudaStep(benchmark::State &state) {
  FakeCuda cuda;
  constexpr size_t word = sizeof(void *);
  cuda.kernels["k_0"] = {"k", {word, word, word}, nullptr};
  runtime::CudaApi api = cuda.api();
  runtime::Platform platform = {&api, runtime::openCublasLt, runtime::openCudnn,
                                runtime::openNccl, &runtime::getNvtx()};
  HandMade made = makeProgram();
  static constexpr std::string_view targets[] = {"cuda"};
  auto file = ProgramFile::copy(*serialize(made.program), targets);
  auto executor = runtime::CudaExecutor::create(platform, **file, {}, {});
  if (!executor)
    return state.SkipWithError(executor.status().message().c_str());
  std::vector<uint8_t> x(16384), label(256);
  const runtime::Input inputs[] = {{x.data(), x.size()},
                                   {label.data(), label.size()}};
  makeQuick(api);
  // A step, and the loss of the one before.
  if (!(*executor)->run(0, inputs).ok())
    return state.SkipWithError("run failed");
  for (auto _ : state)
    if (!(*executor)->run(0, inputs).ok() || !(*executor)->result(0, 0, 1))
      return state.SkipWithError("run failed");
  api = cuda.api();
}
BENCHMARK(cudaStep);

BENCHMARK_MAIN();
