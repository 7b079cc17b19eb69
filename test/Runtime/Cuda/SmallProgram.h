// A program for CUDA whose arithmetic fits on a line, and its kernels as host
// functions: w follows the mean of what it has seen,
//   g = w - x, loss = sum(g^2), w = w - rate g
#ifndef MPC_TEST_RUNTIME_CUDA_SMALLPROGRAM_H
#define MPC_TEST_RUNTIME_CUDA_SMALLPROGRAM_H

#include "../CudaProgram.h"
#include "FakeCuda.h"
#include "Runtime/Cuda/CudaExecutor.h"

#include <cstring>

namespace mpc::test {

inline constexpr uint32_t kInit = 0, kStep = 1;
inline constexpr uint32_t kLoss = 0, kTable = 1; ///< outputs of the step

/// State: w (4 x f32) at 0, rate at 256, a copy of w at 512. Arena: g at 0,
/// loss at 256, a table of 8192 bytes (an output that is not small) at 512. The
/// input has more elements than the four that the kernel reads if one asks.
inline HandMade makeSmallProgram(uint32_t inputElements = 4) {
  constexpr ElementType f32 = ElementType::F32;
  HandMade made;
  made.program.target = "cuda";
  Arg w = made.state("w", f32, {4});
  Arg rate = made.state("rate", f32, {}, Init(InitKind::Fill, 0.5, 0),
                        Role::Hyperparameter);
  Arg copy = made.state("w.copy", f32, {4}, Init(InitKind::Derived, 0, 0),
                        Role::WeightCopy);
  Arg g = made.arena(16), loss = made.arena(4), table = made.arena(8192);
  uint32_t gradient = made.kernel("gradient", {16, 16, 16, 4}, 2, 1);
  uint32_t update = made.kernel("update", {4, 16, 16}, 1, 1);
  made.program.names = {"the gradient", "the update"};
  HandMade::record(made.entry("init"), RecordKind::Copy, 0, {w, copy}, 16);
  EntryT &step = made.entry("step");
  Arg x = HandMade::input(step, "x", f32, {inputElements});
  HandMade::record(step, RecordKind::Launch, gradient, {x, w, g, loss}, 1, 1,
                   0);
  HandMade::record(step, RecordKind::Launch, update, {rate, g, w}, 1, 1, 1);
  HandMade::record(step, RecordKind::Copy, 0, {w, copy}, 16);
  HandMade::record(step, RecordKind::Fill, 0, {table}, 8192);
  HandMade::record(step, RecordKind::Copy, 0, {w, table}, 16);
  HandMade::output(step, "loss", f32, {}, loss);
  HandMade::output(step, "table", f32, {2048}, table);
  addSection(made, "sm_80", CodeFormat::Cubin, 0, 2);
  return made;
}

inline float *pointer(const FakeLaunch &launch, int index) {
  float *value = nullptr;
  std::memcpy(&value, launch.arguments[index], sizeof value);
  return value;
}

inline void addSmallKernels(FakeCuda &cuda) {
  constexpr size_t word = sizeof(void *);
  cuda.kernels["gradient_0"] = {
      "", {word, word, word, word}, [](const FakeLaunch &launch) {
        float *x = pointer(launch, 0), *w = pointer(launch, 1);
        float *g = pointer(launch, 2), *loss = pointer(launch, 3);
        *loss = 0;
        for (int i = 0; i < 4; ++i) {
          g[i] = w[i] - x[i];
          *loss += g[i] * g[i];
        }
        return std::string();
      }};
  cuda.kernels["update_0"] = {
      "", {word, word, word}, [](const FakeLaunch &launch) {
        float *rate = pointer(launch, 0), *g = pointer(launch, 1);
        float *w = pointer(launch, 2);
        for (int i = 0; i < 4; ++i)
          w[i] -= *rate * g[i];
        return std::string();
      }};
}

/// The ranges of the last executor with ranges: "+ name" and "-".
inline std::vector<std::string> &ranges() {
  static std::vector<std::string> list;
  return list;
}

/// As many elements as make an input large.
inline constexpr uint32_t kLargeInput = 1u << 15;

/// A program on a fake device.
struct OnFake {
  explicit OnFake(HandMade made = makeSmallProgram()) : OnFake(made.program) {}
  explicit OnFake(ProgramT &program) {
    addSmallKernels(cuda);
    static constexpr std::string_view targets[] = {"cuda"};
    auto copy = ProgramFile::copy(*serialize(program), targets);
    file.emplace(std::move(*copy));
    ranges().clear();
  }

  Status open() {
    auto made = runtime::CudaExecutor::create(platform, **file, options, {});
    if (!made)
      return made.status();
    executor = std::move(*made);
    return {};
  }
  /// First values as a session writes them, then "init".
  Status initialize(float rate = 0.5f) {
    auto *bytes = reinterpret_cast<const uint8_t *>(&rate);
    if (Status status = executor->writeState(256, {bytes, 4}); !status.ok())
      return status;
    return executor->run(kInit, {});
  }
  Status step(float x) {
    std::vector<float> values(inputElements, x);
    runtime::Input input = {values.data(), values.size() * sizeof(float)};
    return executor->run(kStep, {&input, 1});
  }
  Result<float> loss(uint32_t age) {
    auto bytes = executor->result(kStep, kLoss, age);
    if (!bytes)
      return bytes.status();
    float value = 0;
    std::memcpy(&value, bytes->data(), sizeof value);
    return value;
  }
  Result<float> weight() {
    float w = 0;
    auto *bytes = reinterpret_cast<uint8_t *>(&w);
    if (Status status = executor->readState(0, {bytes, 4}); !status.ok())
      return status;
    return w;
  }

  FakeCuda cuda;
  uint32_t inputElements = 4;
  runtime::RangeMarker marker = {
      [](const char *name) { ranges().push_back(std::string("+ ") + name); },
      [] { ranges().push_back("-"); }};
  runtime::Platform platform = {&cuda.api(), runtime::openCublasLt,
                                runtime::openCudnn, runtime::openNccl, &marker};
  runtime::DeviceOptions options;
  std::optional<ProgramFile> file;
  std::unique_ptr<runtime::Executor> executor;
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_CUDA_SMALLPROGRAM_H
