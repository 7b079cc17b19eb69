// Collectives beside the computation: who waits for whom, and how a capture
// shows it.
#include "FakeCuda.h"
#include "Runtime/Cuda/Graph/GraphQueue.h"
#include "Runtime/Cuda/Graph/Order.h"
#include "Runtime/Cuda/Graph/StreamQueue.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using namespace mpc::runtime;
using Lines = std::vector<std::string>;
using Numbers = std::vector<std::vector<uint32_t>>;

static ByteRange reads(uint64_t begin, uint64_t end) {
  return {begin, end, false};
}
static ByteRange writes(uint64_t begin, uint64_t end) {
  return {begin, end, true};
}

TEST(CudaOrder, ComputationIsAChain) {
  RecordUse use = {{writes(0, 4)}, false};
  RecordUse other = {{writes(8, 12)}, false};
  EXPECT_EQ(orderRecords(std::vector{use, other, use}),
            (Numbers{{}, {0}, {1}}));
  EXPECT_EQ(orderRecords({}), Numbers());
}

TEST(CudaOrder, CollectivesRunBesideIt) {
  std::vector<RecordUse> records = {
      {{writes(0, 4)}, false},             // 0: gradient a
      {{reads(0, 4), writes(0, 4)}, true}, // 1: sum of a
      {{writes(4, 8)}, false},             // 2: gradient b
      {{reads(4, 8), writes(4, 8)}, true}, // 3: sum of b
      {{writes(8, 12)}, false},            // 4: something else
      {{reads(0, 4)}, false},              // 5: needs the sum of a
      {{reads(0, 8)}, false},              // 6: needs both
      {{reads(0, 8)}, false}};             // 7: needs what 6 has waited for
  EXPECT_EQ(orderRecords(records),
            (Numbers{{}, {0}, {0}, {2}, {2}, {1, 4}, {3, 5}, {6}}));
}

TEST(CudaOrder, OverwritingWaitsToo) {
  std::vector<RecordUse> records = {
      {{reads(0, 4), writes(4, 8)}, true}, // 0: reads 0..4
      {{writes(2, 3)}, false},             // 1: must not overwrite it before
      {{reads(0, 4)}, false},
      {{reads(2, 3), writes(4, 8)}, true}}; // 3: after 1, not after 2
  EXPECT_EQ(orderRecords(records), (Numbers{{}, {0}, {1}, {1}}));
}

namespace {
struct Queues {
  Queues() {
    stream = std::move(*makeStream(cuda.api()));
    other = std::move(*makeStream(cuda.api()));
    fork = std::move(*makeEvent(cuda.api()));
    join = std::move(*makeEvent(cuda.api()));
    cuda.kernels["k"] = {"k", {}, nullptr};
    cuda.api().cudaLibraryLoadData(&library, nullptr, nullptr, nullptr, 0,
                                   nullptr, nullptr, 0);
    cuda.api().cudaLibraryGetKernel(&kernel, library, "k");
  }
  CollectiveLine line() { return {other.get(), fork.get(), join.get()}; }

  /// Gradient, its sum, another kernel beside that, and who needs the sum.
  Status fill(Queue &queue) {
    auto call = [&](std::vector<uint32_t> after, auto what) {
      if (Status status = queue.begin(after, "record"); !status.ok())
        return status;
      if (Status status = what(); !status.ok())
        return status;
      return queue.end();
    };
    auto launch = [&] { return queue.kernel({kernel, 1, 32, 0, nullptr}); };
    auto sum = [&] {
      return queue.collective([&](cudaStream_t on) {
        return makeStatus(cuda.api(), cuda.enqueue(on, "sum", [] {}), "sum");
      });
    };
    auto multiply = [&] {
      return queue.library([&](cudaStream_t on) {
        auto error = cuda.enqueue(on, "multiply", [] {});
        if (!error)
          error = cuda.enqueue(on, "add", [] {}, endsEarly);
        return makeStatus(cuda.api(), error, "multiply");
      });
    };
    for (Status status : {call({}, launch), call({0}, sum), call({0}, multiply),
                          call({1, 2}, launch), call({3}, sum)})
      if (!status.ok())
        return status;
    return {};
  }

  bool endsEarly = false; ///< the last kernel of a product
  FakeCuda cuda;
  Stream stream, other;
  Event fork, join;
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
};
} // namespace

TEST(CudaQueue, GraphWithABranch) {
  Queues made;
  GraphQueue queue(made.cuda.api(), made.stream.get(), made.line());
  ASSERT_TRUE(queue.start().ok());
  Status status = made.fill(queue);
  ASSERT_TRUE(status.ok()) << status.message();
  auto graph = queue.finish();
  ASSERT_TRUE(graph) << graph.status().message();
  EXPECT_EQ(
      made.cuda.nodes(0),
      (Lines{"launch k 1x32 shared 0 first", "sum after 0", "multiply after 0",
             "add after 2", "launch k 1x32 shared 0 after 1 3",
             "sum after 1 4"})); // after the sum before it, too
  EXPECT_EQ(made.cuda.broken, Lines());
}

TEST(CudaQueue, GraphBehindAKernelThatEndsEarly) {
  Queues made;
  made.endsEarly = true;
  GraphQueue queue(made.cuda.api(), made.stream.get(), made.line());
  ASSERT_TRUE(queue.start().ok());
  Status status = made.fill(queue);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_TRUE(queue.finish());
  // The next kernel waits for the whole of it.
  ASSERT_EQ(made.cuda.nodes(0).size(), 6u);
  EXPECT_EQ(made.cuda.nodes(0)[4], "launch k 1x32 shared 0 after 1 3");
}

TEST(CudaQueue, GraphWithoutRecords) {
  Queues made;
  GraphQueue queue(made.cuda.api(), made.stream.get(), made.line());
  ASSERT_TRUE(queue.start().ok());
  ASSERT_TRUE(queue.finish());
  EXPECT_EQ(made.cuda.nodes(0), Lines());
}

TEST(CudaQueue, AbandonedCaptureEnds) {
  Queues made;
  {
    GraphQueue queue(made.cuda.api(), made.stream.get(), made.line());
    ASSERT_TRUE(queue.start().ok());
    ASSERT_TRUE(made.fill(queue).ok());
  }
  EXPECT_EQ(made.cuda.count("cudaStreamEndCapture"), 1u);
  // The stream is as before.
  EXPECT_EQ(made.cuda.api().cudaStreamSynchronize(made.stream.get()),
            cudaSuccess);
  EXPECT_EQ(made.cuda.alive(), "2 streams, 2 events, "
                               "1 libraries");
}

TEST(CudaQueue, StreamWithRanges) {
  static Lines marks;
  marks.clear();
  RangeMarker marker = {[](const char *name) { marks.push_back(name); },
                        [] { marks.push_back("end"); }};
  Queues made;
  StreamQueue queue(made.cuda.api(), made.stream.get(), made.line(), marker);
  ASSERT_TRUE(made.fill(queue).ok());
  EXPECT_EQ(marks.size(), 10u);
  ASSERT_EQ(made.cuda.api().cudaStreamSynchronize(made.stream.get()),
            cudaSuccess);
  // 6 pieces, and for each of two sums a wait to fork and one to join.
  EXPECT_EQ(made.cuda.work, 10u);
}
