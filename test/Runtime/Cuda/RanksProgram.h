// One step of two ranks that see the same numbers: a product and its epilogue
// by cuBLASLt, a sum over the ranks by NCCL beside a kernel, SGD by a kernel of
// kernels/.
//   y = x w, g = y - x, sum g over 2 ranks, loss = sum(y), w = w - rate 2 g
#ifndef MPC_TEST_RUNTIME_CUDA_RANKSPROGRAM_H
#define MPC_TEST_RUNTIME_CUDA_RANKSPROGRAM_H

#include "FakeCublasLt.h"
#include "FakeNccl.h"
#include "Kernels/EmulatedKernels.h"
#include "SmallProgram.h"

namespace mpc::test {

/// State: w (4 x 4) at 0, rate at 256. Arena: y at 0, g at 256, loss at 512.
inline HandMade makeRanksProgram() {
  constexpr ElementType f32 = ElementType::F32;
  HandMade made;
  made.program.target = "cuda";
  Arg w = made.state("w", f32, {4, 4});
  Arg rate = made.state("rate", f32, {}, Init(InitKind::Fill, 0.5, 0),
                        Role::Hyperparameter);
  Arg y = made.arena(64), g = made.arena(64), loss = made.arena(4);
  uint32_t difference = made.kernel("difference", {64, 64, 64}, 1, 1);
  uint32_t sum = made.kernel("sum", {64, 4}, 1, 1);
  made.program.calls.push_back(
      MatmulSpec{f32, f32, {4, 4}, {4, 4}, {4, 4}}.call());
  made.program.collectives.push_back(std::make_unique<CollectiveT>());
  made.program.collectives[0]->type = f32;
  made.program.collectives[0]->counts = {16};
  auto sgd = std::make_unique<MultiTensorT>();
  sgd->kind = MultiTensorKind::Sgd;
  sgd->counts = {16};
  made.program.multi_tensors.push_back(std::move(sgd));
  made.entry("init");
  EntryT &step = made.entry("step");
  Arg x = HandMade::input(step, "x", f32, {4, 4});
  HandMade::record(step, RecordKind::Call, 0, {x, w, y});
  HandMade::record(step, RecordKind::Launch, difference, {y, x, g});
  HandMade::record(step, RecordKind::AllReduce, 0, {g, g});
  HandMade::record(step, RecordKind::Launch, sum, {y, loss});
  HandMade::record(step, RecordKind::MultiTensor, 0, {rate, w, g, w});
  HandMade::output(step, "loss", f32, {}, loss);
  addSection(made, "sm_80", CodeFormat::Cubin, 0, 2);
  return made;
}

/// The program with everything it needs, as rank 0 of 2.
struct RanksOnFake : OnFake {
  RanksOnFake() : OnFake(makeRanksProgram()) {
    addKernels();
    auto submit = [&](const char *what) {
      return [this, what](cudaStream_t stream, std::function<void()> work) {
        (void)cuda.enqueue(stream, what, std::move(work));
      };
    };
    blas.submit = submit("multiply");
    nccl.submit = submit("all-reduce");
    theBlas = &blas;
    theNccl = &nccl;
    platform.openCublasLt = []() -> Result<const runtime::CublasLtApi *> {
      return &theBlas->api();
    };
    platform.openNccl = []() -> Result<const runtime::NcclApi *> {
      return &theNccl->api();
    };
    options.ranks.uniqueId.assign(128, 7);
    options.ranks.size = 2;
  }

  ~RanksOnFake() { executor.reset(); }

  void addKernels() {
    constexpr size_t word = sizeof(void *);
    cuda.kernels["difference_0"] = {
        "", {word, word, word}, [](const FakeLaunch &launch) {
          for (int i = 0; i < 16; ++i)
            pointer(launch, 2)[i] =
                pointer(launch, 0)[i] - pointer(launch, 1)[i];
          return std::string();
        }};
    cuda.kernels["sum_0"] = {"", {word, word}, [](const FakeLaunch &launch) {
                               float *sum = pointer(launch, 1);
                               *sum = 0;
                               for (int i = 0; i < 16; ++i)
                                 *sum += pointer(launch, 0)[i];
                               return std::string();
                             }};
    cuda.anyFunction = {
        "sgd", {sizeof(kernels::Parameters)}, [](const FakeLaunch &launch) {
          kernels::Parameters parameters;
          std::memcpy(&parameters, launch.arguments[0], sizeof parameters);
          return runKernel(launch.function, launch.grid, launch.block,
                           parameters);
        }};
  }

  Status initialize() {
    float rate = 0.5f, w[16];
    for (int i = 0; i < 16; ++i)
      w[i] = i % 5 == 0 ? 2.f : 0.f; // twice the identity
    auto write = [&](uint64_t offset, const void *data, size_t bytes) {
      return executor->writeState(offset,
                                  {static_cast<const uint8_t *>(data), bytes});
    };
    Status status = write(0, w, sizeof w);
    return status.ok() ? write(256, &rate, sizeof rate) : status;
  }
  Status step() {
    float x[16];
    for (int i = 0; i < 16; ++i)
      x[i] = i % 5 == 0 ? 1.f : 0.f;
    runtime::Input input = {x, sizeof x};
    return executor->run(kStep, {&input, 1});
  }

  runtime::fake::FakeCublasLt blas;
  runtime::fake::FakeNccl nccl;
  static inline runtime::fake::FakeCublasLt *theBlas = nullptr;
  static inline runtime::fake::FakeNccl *theNccl = nullptr;
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_CUDA_RANKSPROGRAM_H
