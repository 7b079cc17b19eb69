// The fake device notices what a real one would not forgive: without that the
// tests on it would prove little.
#include "FakeCuda.h"
#include "Runtime/Cuda/Api/Handles.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using runtime::makeEvent;
using runtime::makeStream;

namespace {
class FakeDevice : public testing::Test {
protected:
  FakeDevice()
      : stream(std::move(*makeStream(api))),
        other(std::move(*makeStream(api))) {
    api.cudaMalloc(reinterpret_cast<void **>(&device), 256);
    api.cudaHostAlloc(reinterpret_cast<void **>(&pinned), 256, 0);
  }
  ~FakeDevice() override {
    (void)cuda.runAll();
    api.cudaFree(device);
    api.cudaFreeHost(pinned);
  }
  /// Enqueues `device[0] = value`.
  void set(cudaStream_t on, float value) {
    cuda.enqueue(on, "set", [this, value] { device[0] = value; });
  }
  cudaError_t download(cudaStream_t on) {
    return api.cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, on);
  }
  bool broke(const std::string &rule) const {
    return !cuda.broken.empty() && cuda.broken.back().starts_with(rule);
  }

  FakeCuda cuda;
  const runtime::CudaApi &api = cuda.api();
  runtime::Stream stream, other;
  float *device = nullptr, *pinned = nullptr;
};
} // namespace

TEST_F(FakeDevice, MemoryIsNaNAtFirst) {
  EXPECT_TRUE(device[0] != device[0]);
  EXPECT_TRUE(pinned[63] != pinned[63]);
}

TEST_F(FakeDevice, NothingRunsBeforeAWait) {
  set(stream.get(), 1);
  download(stream.get());
  EXPECT_TRUE(pinned[0] != pinned[0]);
  api.cudaStreamSynchronize(stream.get());
  EXPECT_EQ(pinned[0], 1.f);
}

TEST_F(FakeDevice, StreamsWaitForEventsOnly) {
  auto event = std::move(*makeEvent(api));
  set(stream.get(), 1);
  api.cudaEventRecord(event.get(), stream.get());
  set(stream.get(), 2);
  download(other.get());
  api.cudaStreamSynchronize(other.get());
  EXPECT_TRUE(pinned[0] != pinned[0]) << "without a wait it comes too early";
  api.cudaStreamWaitEvent(other.get(), event.get(), 0);
  download(other.get());
  EXPECT_EQ(api.cudaEventQuery(event.get()), cudaErrorNotReady);
  api.cudaStreamSynchronize(other.get());
  EXPECT_EQ(pinned[0], 1.f);
  EXPECT_EQ(api.cudaEventQuery(event.get()), cudaSuccess);
}

TEST_F(FakeDevice, PinnedMemoryIsReadLate) {
  pinned[0] = 1;
  api.cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice, stream.get());
  pinned[0] = 2; // too early
  api.cudaStreamSynchronize(stream.get());
  EXPECT_EQ(device[0], 2.f);
  float pageable = 3;
  api.cudaMemcpyAsync(device, &pageable, 4, cudaMemcpyHostToDevice,
                      stream.get());
  pageable = 4; // was staged
  api.cudaStreamSynchronize(stream.get());
  EXPECT_EQ(device[0], 3.f);
}

TEST_F(FakeDevice, AMissingEdgeShows) {
  for (bool edge : {false, true}) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaStreamCaptureStatus status;
    api.cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed);
    set(stream.get(), 1);
    if (!edge)
      api.cudaStreamUpdateCaptureDependencies(stream.get(), nullptr, nullptr, 0,
                                              cudaStreamSetCaptureDependencies);
    set(stream.get(), 2);
    api.cudaStreamGetCaptureInfo(stream.get(), &status, nullptr, nullptr,
                                 nullptr, nullptr, nullptr);
    EXPECT_EQ(status, cudaStreamCaptureStatusActive);
    ASSERT_EQ(api.cudaStreamEndCapture(stream.get(), &graph), cudaSuccess);
    ASSERT_EQ(api.cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    api.cudaGraphDestroy(graph);
    api.cudaGraphLaunch(exec, stream.get());
    api.cudaStreamSynchronize(stream.get());
    EXPECT_EQ(device[0], edge ? 2.f : 1.f);
    api.cudaGraphExecDestroy(exec);
  }
}

TEST_F(FakeDevice, ForksMustBeJoined) {
  auto fork = std::move(*makeEvent(api)), join = std::move(*makeEvent(api));
  for (bool joined : {false, true}) {
    api.cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed);
    api.cudaEventRecord(fork.get(), stream.get());
    api.cudaStreamWaitEvent(other.get(), fork.get(), 0);
    set(other.get(), 1);
    if (joined) {
      api.cudaEventRecord(join.get(), other.get());
      api.cudaStreamWaitEvent(stream.get(), join.get(), 0);
    }
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(api.cudaStreamEndCapture(stream.get(), &graph),
              joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
    EXPECT_EQ(graph != nullptr, joined);
    if (graph)
      api.cudaGraphDestroy(graph);
  }
}

TEST_F(FakeDevice, RulesOfCaptures) {
  auto outside = std::move(*makeEvent(api));
  api.cudaEventRecord(outside.get(), other.get());
  api.cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(api.cudaStreamSynchronize(stream.get()),
            cudaErrorStreamCaptureUnsupported);
  EXPECT_TRUE(broke("a wait inside a capture"));
  EXPECT_EQ(api.cudaStreamWaitEvent(stream.get(), outside.get(), 0),
            cudaErrorStreamCaptureIsolation);
  EXPECT_TRUE(broke("a capture waits for work outside of it"));
  cudaGraph_t graph = nullptr;
  api.cudaStreamEndCapture(stream.get(), &graph);
  api.cudaGraphDestroy(graph);
}

TEST_F(FakeDevice, RulesOfMemory) {
  EXPECT_NE(api.cudaMemcpyAsync(pinned, device, 4, cudaMemcpyHostToDevice,
                                stream.get()),
            cudaSuccess);
  EXPECT_TRUE(broke("the direction of a copy is wrong"));
  EXPECT_NE(api.cudaMemsetAsync(device, 0, 257, stream.get()), cudaSuccess);
  EXPECT_TRUE(broke("a fill of memory that is not the device's"));
  EXPECT_NE(api.cudaFree(&cuda), cudaSuccess);
  EXPECT_TRUE(broke("no such memory"));
  EXPECT_NE(api.cudaMemsetAsync(device, 0, 4, nullptr), cudaSuccess);
  EXPECT_TRUE(broke("the legacy default stream is used"));
}

TEST_F(FakeDevice, KnowsWhatIsAlive) {
  auto event = std::move(*makeEvent(api));
  EXPECT_EQ(cuda.alive(),
            "1 device blocks, 1 pinned blocks, 2 streams, 1 events");
}
