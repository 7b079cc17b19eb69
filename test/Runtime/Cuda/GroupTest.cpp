// A session in a group of ranks: how they meet, where collectives stand in the
// graph, and what happens when a peer fails.
#include "FakeNccl.h"
#include "SmallProgram.h"

#include <gtest/gtest.h>
#include <thread>

using namespace mpc;
using namespace mpc::test;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

#define ASSERT_OK(status)                                                      \
  do {                                                                         \
    Status result = (status);                                                  \
    ASSERT_TRUE(result.ok()) << result.message();                              \
  } while (false)

/// The small program with the average of g and the sum of the loss over ranks;
/// `isSplit`: begun by one record each, and waited for by another.
static HandMade makeGroupProgram(bool isSplit = false) {
  HandMade made = makeSmallProgram();
  EntryT &step = *made.program.entries[kStep];
  Arg g(Space::Arena, 0, 0), loss(Space::Arena, 0, 256);
  made.program.names.push_back("the average");
  const std::pair<ReduceKind, uint64_t> kinds[] = {{ReduceKind::Average, 4},
                                                   {ReduceKind::Sum, 1}};
  for (auto [kind, count] : kinds) {
    auto collective = std::make_unique<CollectiveT>();
    collective->kind = kind;
    collective->type = ElementType::F32;
    collective->counts = {count};
    made.program.collectives.push_back(std::move(collective));
  }
  auto kind = isSplit ? RecordKind::AllReduceStart : RecordKind::AllReduce;
  HandMade::record(step, kind, 0, {g, g}, 1, 1, 2);
  HandMade::record(step, kind, 1, {loss, loss});
  std::rotate(step.records.begin() + 1, step.records.end() - 2,
              step.records.end());
  if (isSplit) { // behind all that runs, which waits for what it reads
    HandMade::record(step, RecordKind::AllReduceDone, 0, {g, g}, 1);
    HandMade::record(step, RecordKind::AllReduceDone, 1, {loss, loss}, 2);
  }
  return made;
}

namespace {
/// Whether the work that a watchdog looks at is done. It has a thread of its
/// own, and FakeCuda is for one, so its two functions are answered here.
std::atomic<bool> watchedIsDone;
std::thread::id mainThread;
const runtime::CudaApi *fakeCuda;

cudaError_t setDevice(int device) {
  return std::this_thread::get_id() == mainThread
             ? fakeCuda->cudaSetDevice(device)
             : cudaSuccess;
}
cudaError_t queryEvent(cudaEvent_t event) {
  if (std::this_thread::get_id() == mainThread)
    return fakeCuda->cudaEventQuery(event);
  return watchedIsDone ? cudaSuccess : cudaErrorNotReady;
}

/// Rank 1 of 3.
struct GroupOnFake : OnFake {
  explicit GroupOnFake(bool isSplit = false)
      : OnFake(makeGroupProgram(isSplit)) {
    mainThread = std::this_thread::get_id();
    fakeCuda = &cuda.api();
    watchedIsDone = true;
    table = cuda.api();
    table.cudaSetDevice = setDevice;
    table.cudaEventQuery = queryEvent;
    platform.cuda = &table;
    current = this;
    platform.openNccl = []() -> Result<const runtime::NcclApi *> {
      return &current->nccl.api();
    };
    nccl.submit = [this](cudaStream_t stream, std::function<void()> work) {
      auto number = reinterpret_cast<FakeStream *>(stream)->number;
      (void)cuda.enqueue(stream, "nccl on stream" + std::to_string(number),
                         std::move(work));
    };
    options.ranks.uniqueId.assign(128, 7);
    options.ranks.rank = 1;
    options.ranks.size = 3;
  }
  ~GroupOnFake() { executor.reset(); }
  Status live() {
    if (Status status = open(); !status.ok())
      return status;
    if (Status status = initialize(); !status.ok())
      return status;
    for (float x : {1.f, 2.f, 3.f})
      if (Status status = step(x); !status.ok())
        return status;
    return executor->synchronize();
  }
  void expectNothingLeft() {
    executor.reset();
    EXPECT_EQ(cuda.alive(), "");
    EXPECT_EQ(cuda.broken, Lines());
    EXPECT_EQ(nccl.live, 0);
  }
  static inline GroupOnFake *current;
  runtime::fake::FakeNccl nccl;
  runtime::CudaApi table;
};
} // namespace

TEST(CudaGroup, CollectivesAreNodesOnALineOfTheirOwn) {
  GroupOnFake made;
  ASSERT_OK(made.open());
  Lines nodes = made.cuda.nodes(kStep);
  EXPECT_EQ(nodes,
            (Lines{"launch gradient_0 4x128 shared 0 device+9472 device+0 "
                   "device+768 device+1024 first",
                   "nccl on stream2 after 0 priority -5",
                   "nccl on stream2 after 0 1 priority -5",
                   "launch update_0 4x128 shared 0 device+256 device+768 "
                   "device+0 after 0 1",
                   "copy device+512 <- device+0 16 after 3",
                   "fill device+1280 8192 after 4",
                   "copy device+1280 <- device+0 16 after 5"}));
}

// A graph waits node by node, so who waits is nothing in it.
TEST(CudaGroup, CollectivesThatGoOnAreTheSameNodes) {
  std::vector<Lines> nodes;
  for (bool isSplit : {false, true}) {
    GroupOnFake made(isSplit);
    ASSERT_OK(made.live());
    nodes.push_back(made.cuda.nodes(kStep));
    EXPECT_EQ(*made.weight(), 2.125f);
  }
  EXPECT_EQ(nodes[1], nodes[0]);
}

// Before the capture, so that NCCL connects outside of it; then captured, and
// never called again.
TEST(CudaGroup, RanksMeetOnceBeforeTheCapture) {
  GroupOnFake made;
  ASSERT_OK(made.open());
  auto calls = made.nccl.calls();
  EXPECT_EQ(
      std::count(calls.begin(), calls.end(), "ncclAllReduce f32 average 4"), 2);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "ncclAllReduce f32 sum 1"),
            2);
  const Lines &log = made.cuda.log;
  auto first = [&](const std::string &text) {
    return std::find_if(log.begin(), log.end(), [&](const std::string &line) {
      return line.find(text) != std::string::npos;
    });
  };
  EXPECT_LT(first("cudaStreamSynchronize stream2"),
            first("cudaStreamBeginCapture"));
  ASSERT_OK(made.initialize());
  ASSERT_OK(made.step(1));
  EXPECT_EQ(made.nccl.calls().size(), calls.size());
}

TEST(CudaGroup, ValuesAreThoseOfTheGroup) {
  GroupOnFake made;
  ASSERT_OK(made.open());
  ASSERT_OK(made.initialize());
  float w = 0;
  for (int i = 0; i < 10; ++i) {
    auto x = static_cast<float>(i);
    ASSERT_OK(made.step(x));
    // The peers hold the same, so the average is ours and the sum three times.
    EXPECT_EQ(*made.loss(0), 3 * 4 * (w - x) * (w - x));
    w -= 0.5f * (w - x);
  }
  EXPECT_EQ(*made.weight(), w);
}

TEST(CudaGroup, OneRankGoesTheSameWay) {
  GroupOnFake made;
  made.options.ranks.rank = 0;
  made.options.ranks.size = 1;
  ASSERT_OK(made.live());
  EXPECT_EQ(*made.loss(0), 4 * (3.f - 1.25f) * (3.f - 1.25f));
  EXPECT_EQ(made.cuda.nodes(kStep)[1], "nccl on stream2 after 0 priority -5");
  made.expectNothingLeft();
}

TEST(CudaGroup, AloneCollectivesAreCopiesOrNothing) {
  GroupOnFake made;
  made.options.ranks = {};
  ASSERT_OK(made.live());
  EXPECT_TRUE(made.nccl.calls().empty());
  EXPECT_EQ(made.cuda.nodes(kStep).size(), 5u); // In place: nothing.
}

TEST(CudaGroup, TheCallersCommunicatorOutlivesTheSession) {
  GroupOnFake made;
  ncclComm_t theirs = made.nccl.makeCommunicator(0, 2);
  made.options.ranks = {};
  made.options.ranks.communicator = theirs;
  ASSERT_OK(made.live());
  made.executor.reset();
  EXPECT_EQ(made.cuda.alive(), "");
  EXPECT_EQ(made.nccl.live, 1);
  EXPECT_EQ(made.nccl.aborted + made.nccl.revoked, 0);
  made.nccl.api().ncclCommDestroy(theirs);
}

static Status waitForFailure(GroupOnFake &made) {
  Status status;
  for (int i = 0; i < 10000 && status.ok(); ++i) {
    std::this_thread::sleep_for(1ms);
    status = made.executor->synchronize();
  }
  return status;
}

TEST(CudaGroup, APeerThatStopsIsATimeOutForTheSession) {
  GroupOnFake made;
  made.options.ranks.timeoutMilliseconds = 200;
  ASSERT_OK(made.open());
  ASSERT_OK(made.initialize());
  std::this_thread::sleep_for(50ms); // what was launched while opening
  watchedIsDone = false;
  ASSERT_OK(made.step(1));
  Status status = waitForFailure(made);
  EXPECT_EQ(status.code(), StatusCode::CollectiveTimedOut);
  EXPECT_EQ(status.message().find(
                "rank 1 of 3: 4 collectives of 40 bytes, the largest an "
                "all-reduce (average) of 1 tensor, 16 bytes of f32: no "
                "progress for "),
            0u)
      << status.message();
  Status again = made.step(2);
  EXPECT_EQ(again.code(), StatusCode::CollectiveTimedOut);
  EXPECT_EQ(again.message(),
            "the session can only be destroyed, since it failed: " +
                status.message());
  made.expectNothingLeft();
  EXPECT_EQ(made.nccl.aborted, 1);
}

TEST(CudaGroup, AnErrorOfAPeerFailsTheSession) {
  GroupOnFake made;
  ASSERT_OK(made.open());
  ASSERT_OK(made.initialize());
  watchedIsDone = false;
  ASSERT_OK(made.step(1));
  made.nccl.asyncError = ncclRemoteError;
  Status status = waitForFailure(made);
  EXPECT_EQ(status.code(), StatusCode::CollectiveFailed);
  EXPECT_NE(status.message().find("remote process exited (6)"),
            std::string::npos);
  made.expectNothingLeft();
  EXPECT_EQ(made.nccl.aborted, 1);
}
