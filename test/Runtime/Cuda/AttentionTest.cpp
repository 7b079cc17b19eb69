// A session with attention: its kernels, their shared memory and workspace, and
// every call that fails.
#include "Kernels/EmulatedKernels.h"
#include "SmallProgram.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using program::OperandRole;

static constexpr int64_t kQueries = 2, kKeys = 4, kWidth = 8;

static void addOperand(program::CallT &call, OperandRole role,
                       std::vector<int64_t> shape, bool written) {
  auto operand = std::make_unique<program::CallOperandT>();
  operand->role = role;
  operand->type = ElementType::F32;
  operand->strides = program::getDenseStrides(shape);
  operand->shape = std::move(shape);
  operand->written = written;
  call.operands.push_back(std::move(operand));
}

static std::unique_ptr<program::CallT> makeAttention(bool backward) {
  auto call = std::make_unique<program::CallT>();
  program::AttentionT options;
  options.backward = backward;
  options.scale = 1;
  call->options.Set(options);
  std::vector<int64_t> query = {1, kQueries, 1, kWidth},
                       key = {1, kKeys, 1, kWidth};
  addOperand(*call, OperandRole::Query, query, false);
  addOperand(*call, OperandRole::Key, key, false);
  addOperand(*call, OperandRole::Value, key, false);
  addOperand(*call, OperandRole::Result, query, !backward);
  addOperand(*call, OperandRole::LogSumExp, {1, 1, kQueries}, !backward);
  if (backward) {
    addOperand(*call, OperandRole::Cotangent, query, false);
    addOperand(*call, OperandRole::ValueGradient, key, true);
  }
  return call;
}

/// Attention of x with itself as keys and values, and the gradient of values by
/// the result as cotangent.
static HandMade makeProgram() {
  constexpr ElementType f32 = ElementType::F32;
  HandMade made;
  made.program.target = "cuda";
  made.program.names = {"forward", "backward"};
  for (bool backward : {false, true})
    made.program.calls.push_back(makeAttention(backward));
  Arg result = made.arena(4 * kQueries * kWidth),
      logSum = made.arena(4 * kQueries),
      gradient = made.arena(4 * kKeys * kWidth);
  made.state("unused", f32, {4});
  made.entry("init");
  EntryT &step = made.entry("step");
  Arg q = HandMade::input(step, "q", f32, {1, kQueries, 1, kWidth});
  Arg x = HandMade::input(step, "x", f32, {1, kKeys, 1, kWidth});
  HandMade::record(step, RecordKind::Call, 0, {q, x, x, result, logSum}, 1, 1,
                   0);
  HandMade::record(step, RecordKind::Call, 1,
                   {q, x, x, result, logSum, result, gradient}, 1, 1, 1);
  HandMade::output(step, "y", f32, {kQueries, kWidth}, result);
  HandMade::output(step, "dv", f32, {kKeys, kWidth}, gradient);
  return made;
}

static void addAttention(FakeCuda &cuda) {
  FakeKernel kernel;
  kernel.name = "attention";
  kernel.parameters = {sizeof(kernels::AttentionParameters)};
  kernel.body = [](const FakeLaunch &launch) {
    kernels::AttentionParameters parameters;
    std::memcpy(static_cast<void *>(&parameters), launch.arguments[0],
                sizeof parameters);
    return runAttention(launch.function, launch.grid, launch.block,
                        launch.sharedBytes, parameters);
  };
  for (const void *function : findAttentionKernels())
    cuda.functions[function] = kernel;
}

/// Opens a session and runs a step; the first failure.
static Status live(OnFake &made) {
  if (Status status = made.open(); !status.ok())
    return status;
  std::vector<float> q(kQueries * kWidth), x(kKeys * kWidth);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i);
  runtime::Input inputs[] = {{q.data(), 4 * q.size()},
                             {x.data(), 4 * x.size()}};
  if (Status status = made.executor->run(kStep, inputs); !status.ok())
    return status;
  return made.executor->synchronize();
}

TEST(CudaAttention, runsItsKernels) {
  OnFake made(makeProgram());
  addAttention(made.cuda);
  Status status = live(made);
  ASSERT_TRUE(status.ok()) << status.message();
  // Queries of zeros see all keys alike: the mean, and a quarter of the sum of
  // the cotangents, which are that mean.
  for (uint32_t output : {0, 1}) {
    auto bytes = made.executor->result(kStep, output, 0);
    ASSERT_TRUE(bytes) << bytes.status().message();
    std::vector<float> values(bytes->size() / 4);
    std::memcpy(values.data(), bytes->data(), bytes->size());
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_FLOAT_EQ(values[i], (12 + float(i % kWidth)) / (output ? 2 : 1));
  }
  EXPECT_EQ(made.cuda.broken, std::vector<std::string>());
  // Once to load them, and once in the graph.
  EXPECT_EQ(made.cuda.count("cudaFuncSetAttribute"), 3u);
  EXPECT_EQ(made.cuda.count("cudaLaunchKernelExC"), 6u);
}

TEST(CudaAttention, leavesNothingWhereACallFails) {
  uint64_t calls = 1;
  for (uint64_t n = 0; n <= calls; ++n) {
    OnFake made(makeProgram());
    addAttention(made.cuda);
    made.cuda.failingCall = n;
    Status status = live(made);
    if (n == 0)
      calls = made.cuda.calls;
    else if (status.ok()) // what is told later, or of destruction
      continue;
    if (n > 0 && made.cuda.log[n - 1].starts_with("cudaFuncSetAttribute")) {
      EXPECT_NE(status.message().find("bytes of shared memory for attention: "),
                std::string::npos)
          << status.message();
    }
    made.executor.reset();
    EXPECT_EQ(made.cuda.alive(), "") << "call " << n;
  }
  EXPECT_GT(calls, 20u);
}
