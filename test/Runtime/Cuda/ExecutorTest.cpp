// What the executor makes of a program: calls, nodes of graphs, values, waits.
#include "SmallProgram.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using Lines = std::vector<std::string>;

#define ASSERT_OK(status)                                                      \
  do {                                                                         \
    Status result = (status);                                                  \
    ASSERT_TRUE(result.ok()) << result.message();                              \
  } while (false)

/// The lines of the log from `first` on.
static Lines since(const FakeCuda &cuda, size_t first) {
  return {cuda.log.begin() + static_cast<ptrdiff_t>(first), cuda.log.end()};
}

TEST(CudaExecutor, GraphOfEachEntry) {
  OnFake made;
  ASSERT_OK(made.open());
  // The block: state 768, arena 8704 after it, then the inputs.
  EXPECT_EQ(made.cuda.nodes(0),
            (Lines{"copy device+512 <- device+0 16 first"}));
  EXPECT_EQ(made.cuda.nodes(1),
            (Lines{"launch gradient_0 4x128 shared 0 device+9472 device+0 "
                   "device+768 device+1024 first",
                   "launch update_0 4x128 shared 0 device+256 device+768 "
                   "device+0 after 0",
                   "copy device+512 <- device+0 16 after 1",
                   "fill device+1280 8192 after 2",
                   "copy device+1280 <- device+0 16 after 3"}));
}

TEST(CudaExecutor, CreationAllocatesOnce) {
  OnFake made;
  ASSERT_OK(made.open());
  EXPECT_EQ(made.cuda.count("cudaMalloc"), 1u);
  EXPECT_EQ(made.cuda.count("cudaHostAlloc"), 1u);
  EXPECT_EQ(made.cuda.count("cudaLibraryLoadData"), 1u);
  EXPECT_EQ(made.cuda.count("cudaGraphInstantiate"), 2u);
  runtime::MemoryUse use = made.executor->memory();
  EXPECT_EQ(use.planned.state, 768u);
  EXPECT_EQ(use.planned.arena, 8704u);
  EXPECT_EQ(use.planned.workspace, 256u); // the input
  EXPECT_EQ(use.used.state, use.planned.state);
  made.executor.reset();
  EXPECT_EQ(made.cuda.alive(), "");
  EXPECT_EQ(made.cuda.broken, Lines());
}

TEST(CudaExecutor, CallsOfAStep) {
  OnFake made;
  ASSERT_OK(made.open());
  ASSERT_OK(made.initialize());
  size_t before = made.cuda.log.size(), work = made.cuda.work;
  ASSERT_OK(made.step(1));
  EXPECT_EQ(since(made.cuda, before),
            (Lines{"cudaGetDevice",
                   "cudaMemcpyAsync stream1 copy device+9472 <- pinned+0 256",
                   "cudaEventRecord event7 stream1", "cudaGraphLaunch stream1",
                   "cudaMemcpyAsync stream1 copy pinned+512 <- device+1024 4",
                   "cudaEventRecord event3 stream1"}));
  EXPECT_EQ(made.cuda.work, work) << "nothing of the step has run yet";
}

TEST(CudaExecutor, LargeInputsArriveBesideTheStepBefore) {
  OnFake made(makeSmallProgram(kLargeInput));
  made.inputElements = kLargeInput;
  ASSERT_OK(made.open());
  ASSERT_OK(made.initialize());
  size_t before = made.cuda.log.size();
  ASSERT_OK(made.step(1));
  // The input at 9472, the places where it arrives after it.
  EXPECT_EQ(
      since(made.cuda, before),
      (Lines{"cudaGetDevice", "cudaStreamWaitEvent stream3 event8",
             "cudaMemcpyAsync stream3 copy device+140544 <- pinned+0 131072",
             "cudaEventRecord event7 stream3",
             "cudaStreamWaitEvent stream1 event7",
             "cudaMemcpyAsync stream1 copy device+9472 <- device+140544 131072",
             "cudaEventRecord event8 stream1", "cudaGraphLaunch stream1",
             "cudaMemcpyAsync stream1 copy pinned+262144 <- device+1024 4",
             "cudaEventRecord event3 stream1"}));
}

TEST(CudaExecutor, LargeInputsOfEachRun) {
  for (bool eager : {false, true}) {
    OnFake made(makeSmallProgram(kLargeInput));
    made.inputElements = kLargeInput;
    made.cuda.eager = eager;
    ASSERT_OK(made.open());
    ASSERT_OK(made.initialize(1));
    // With rate 1, w is the last x: a run that saw another's input shows. After
    // eight runs six uploads have happened, and none of the runs.
    for (int step = 1; step <= 24; ++step) {
      ASSERT_OK(made.step(static_cast<float>(step * step)));
      if (step % 8 != 0)
        continue;
      for (uint32_t age = 0; age < 4; ++age) {
        auto last = static_cast<float>(step) - static_cast<float>(age);
        float difference = last * last - (last - 1) * (last - 1);
        EXPECT_EQ(*made.loss(age), 4 * difference * difference);
      }
    }
    EXPECT_EQ(made.cuda.broken, Lines());
  }
}

TEST(CudaExecutor, ValuesAndWaits) {
  OnFake made;
  ASSERT_OK(made.open());
  ASSERT_OK(made.initialize());
  runtime::WaitCounts before = made.executor->waitCounts();
  // Every run is read one run late, as a training loop does.
  float w = 0;
  std::vector<float> expected;
  for (int i = 0; i < 20; ++i) {
    auto x = static_cast<float>(i);
    ASSERT_OK(made.step(x));
    expected.push_back(4 * (w - x) * (w - x));
    w -= 0.5f * (w - x);
    if (i == 0)
      continue;
    Result<float> loss = made.loss(1);
    ASSERT_TRUE(loss) << loss.status().message();
    EXPECT_EQ(*loss, expected[static_cast<size_t>(i) - 1]);
  }
  runtime::WaitCounts after = made.executor->waitCounts();
  EXPECT_EQ(after.synchronizations, before.synchronizations);
  EXPECT_EQ(after.waits - before.waits, 19u); // the device is as late as may be
  Result<float> weight = made.weight();
  ASSERT_TRUE(weight) << weight.status().message();
  EXPECT_EQ(*weight, w);
  EXPECT_EQ(made.executor->waitCounts().synchronizations,
            before.synchronizations + 1);
}

TEST(CudaExecutor, FourResultsAreKept) {
  OnFake made;
  ASSERT_OK(made.open());
  ASSERT_OK(made.initialize(0));
  for (float x : {1.f, 2.f, 3.f, 4.f, 5.f})
    ASSERT_OK(made.step(x));
  for (uint32_t age = 0; age < 4; ++age) {
    Result<float> loss = made.loss(age);
    ASSERT_TRUE(loss) << loss.status().message();
    auto x = static_cast<float>(5 - age);
    EXPECT_EQ(*loss, 4 * x * x);
  }
  uint64_t waits = made.executor->waitCounts().waits;
  ASSERT_TRUE(made.loss(2)); // has been waited for
  EXPECT_EQ(made.executor->waitCounts().waits, waits);
}

TEST(CudaExecutor, ThirdInputWaitsForTheFirst) {
  OnFake made;
  ASSERT_OK(made.open());
  ASSERT_OK(made.initialize(1));
  ASSERT_OK(made.step(1));
  ASSERT_OK(made.step(2));
  EXPECT_EQ(made.executor->waitCounts().waits, 0u);
  ASSERT_OK(made.step(3));
  EXPECT_EQ(made.executor->waitCounts().waits, 1u);
  ASSERT_OK(made.executor->synchronize());
  // With rate 1, w is the last x: each run has seen its own.
  for (uint32_t age = 0; age < 3; ++age)
    EXPECT_EQ(*made.loss(age), 4.f);
}

TEST(CudaExecutor, LargeOutputsAreReadAfterAWait) {
  OnFake made;
  ASSERT_OK(made.open());
  ASSERT_OK(made.initialize(1));
  ASSERT_OK(made.step(7));
  uint64_t before = made.executor->waitCounts().synchronizations;
  auto table = made.executor->output(kStep, kTable);
  ASSERT_TRUE(table) << table.status().message();
  EXPECT_EQ(made.executor->waitCounts().synchronizations, before + 1);
  std::vector<float> expected(2048, 0.f), got(2048);
  std::fill_n(expected.begin(), 4, 7.f);
  ASSERT_EQ(table->size(), 8192u);
  std::memcpy(got.data(), table->data(), 8192);
  EXPECT_EQ(got, expected);
  auto loss = made.executor->output(kStep, kLoss);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->size(), 4u);
}

TEST(CudaExecutor, StatesAreZeroAtFirst) {
  OnFake made;
  ASSERT_OK(made.open());
  std::vector<uint8_t> bytes(768, 1);
  ASSERT_OK(made.executor->readState(0, bytes));
  EXPECT_EQ(bytes, std::vector<uint8_t>(768, 0));
}

TEST(CudaExecutor, CallersStream) {
  OnFake made;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(
      made.cuda.api().cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
      cudaSuccess);
  made.options.stream = stream;
  ASSERT_OK(made.open());
  ASSERT_OK(made.initialize(1));
  size_t before = made.cuda.log.size();
  ASSERT_OK(made.step(3));
  EXPECT_EQ(*made.loss(0), 36.f);
  for (const std::string &line : since(made.cuda, before))
    EXPECT_EQ(line.find("stream2"), std::string::npos) << line;
  made.executor.reset();
  EXPECT_EQ(made.cuda.alive(), "1 streams");
  made.cuda.api().cudaStreamDestroy(stream);
  EXPECT_EQ(made.cuda.broken, Lines());
}

TEST(CudaExecutor, CurrentDeviceIsRestored) {
  OnFake made;
  made.cuda.devices = 2;
  made.options.ordinal = 1;
  ASSERT_OK(made.open());
  size_t before = made.cuda.log.size();
  ASSERT_OK(made.step(3));
  Lines calls = since(made.cuda, before);
  EXPECT_EQ(calls[1], "cudaSetDevice 1");
  EXPECT_EQ(calls.back(), "cudaSetDevice 0");
}

TEST(CudaExecutor, RangesInsteadOfGraphs) {
  OnFake made;
  made.options.nvtx = true;
  ASSERT_OK(made.open());
  EXPECT_EQ(made.cuda.count("cudaStreamBeginCapture"), 0u);
  ASSERT_OK(made.initialize(1));
  ranges().clear();
  ASSERT_OK(made.step(5));
  EXPECT_EQ(ranges(),
            (Lines{"+ step", "+ the gradient", "-", "+ the update", "-",
                   "+ Copy 2", "-", "+ Fill 3", "-", "+ Copy 4", "-", "-"}));
  EXPECT_EQ(made.cuda.count("cudaGraphLaunch"), 0u);
  EXPECT_EQ(*made.loss(0), 100.f);
  EXPECT_EQ(*made.weight(), 5.f);
  EXPECT_EQ(made.cuda.broken, Lines());
}

TEST(CudaExecutor, CopiesMustNotOverlap) {
  HandMade made = makeSmallProgram();
  EntryT &step = *made.program.entries[kStep];
  HandMade::record(step, RecordKind::Copy, 0,
                   {Arg(Space::Arena, 0, 512), Arg(Space::Arena, 0, 768)}, 512);
  OnFake on(std::move(made));
  Status status = on.open();
  EXPECT_EQ(status.code(), StatusCode::InvalidProgram);
  EXPECT_EQ(status.message(),
            "entry 'step', record 5 (Copy 5): expected a copy between places "
            "that do not overlap, but they are 256 bytes apart and 512 long");
}

TEST(CudaExecutor, WorkspaceAndSharedMemory) {
  HandMade made = makeSmallProgram();
  KernelLaunchT &launch = *made.program.code[0]->launches[1];
  launch.workspace_bytes = 1000;
  launch.stages[0]->shared_bytes = 65536;
  launch.stages.push_back(std::make_unique<KernelStageT>(*launch.stages[0]));
  OnFake on(std::move(made));
  on.cuda.kernels["update_0"].parameters.push_back(sizeof(void *));
  ASSERT_OK(on.open());
  // After the input; both stages, one after the other.
  std::string call = "launch update_0 4x128 shared 65536 device+256 device+768 "
                     "device+0 device+9728 after ";
  EXPECT_EQ(on.cuda.nodes(1)[1], call + "0");
  EXPECT_EQ(on.cuda.nodes(1)[2], call + "1");
  EXPECT_EQ(on.cuda.count("cudaKernelSetAttributeForDevice"), 2u);
}
