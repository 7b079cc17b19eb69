// Collectives by NCCL, and the watchdog, on a NCCL whose peers, delays and
// errors the test decides, and on events that are done when the test says so.
#include "FakeNccl.h"
#include "Runtime/Cuda/Nccl/NcclCollectives.h"

#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::runtime;
using namespace mpc::runtime::fake;
using namespace std::chrono_literals;
using program::ElementType;
using program::ReduceKind;
using testing::Test;

namespace {
/// Events of a device: `done` says whether work is done.
struct FakeEvents {
  static inline std::atomic<int> live, recorded, queried;
  static inline std::atomic<bool> done;
  static inline std::atomic<cudaStream_t> stream;

  static CudaApi makeTable() {
    live = recorded = queried = 0;
    done = false;
    CudaApi api;
    api.cudaEventCreateWithFlags = [](cudaEvent_t *event, unsigned) {
      *event = reinterpret_cast<cudaEvent_t>(uintptr_t(++live));
      return cudaSuccess;
    };
    api.cudaEventDestroy = [](cudaEvent_t) {
      --live;
      return cudaSuccess;
    };
    api.cudaEventRecord = [](cudaEvent_t, cudaStream_t on) {
      ++recorded;
      stream = on;
      return cudaSuccess;
    };
    api.cudaEventQuery = [](cudaEvent_t) {
      ++queried;
      return done ? cudaSuccess : cudaErrorNotReady;
    };
    api.cudaSetDevice = [](int) { return cudaSuccess; };
    api.cudaGetErrorName = [](cudaError_t) { return "cudaErrorUnknown"; };
    api.cudaGetErrorString = [](cudaError_t) { return "unknown error"; };
    return api;
  }
};

class Nccl : public Test {
protected:
  Nccl() : cuda(FakeEvents::makeTable()) {
    ranks.uniqueId.assign(128, 7);
    ranks.rank = 1;
    ranks.size = 4;
    ranks.timeoutMilliseconds = 60000;
  }

  void TearDown() override { EXPECT_EQ(nccl.misuses, 0); }

  Result<std::unique_ptr<Collectives>> open() {
    return NcclCollectives::open(nccl.api(), cuda, ranks, 0,
                                 [&](auto, auto &text) { logged = text; });
  }

  /// Enqueues a bucket of `counts` from `source` to `result`.
  Status enqueue(Collectives &collectives, ReduceKind kind, ElementType type,
                 std::vector<uint64_t> counts, void *source, void *result) {
    program::CollectiveT bucket;
    bucket.kind = kind;
    bucket.type = type;
    bucket.counts = counts;
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(program::Collective::Pack(builder, &bucket));
    std::vector<void *> arguments;
    for (size_t i = 0; i < counts.size(); ++i)
      arguments.insert(arguments.end(), {source, result});
    return collectives.enqueue(
        *flatbuffers::GetRoot<program::Collective>(builder.GetBufferPointer()),
        arguments, stream);
  }

  /// Waits for what another thread does; false after ten seconds.
  template <typename Condition> static bool comes(const Condition &condition) {
    for (int i = 0; i < 10000 && !condition(); ++i)
      std::this_thread::sleep_for(1ms);
    return condition();
  }

  FakeNccl nccl;
  CudaApi cuda;
  RankOptions ranks;
  cudaStream_t stream = reinterpret_cast<cudaStream_t>(0x51);
  std::string logged;
};
} // namespace

TEST_F(Nccl, connectsWithoutBlockingAndGivesBack) {
  nccl.patience = 5;
  {
    auto made = open();
    ASSERT_TRUE(made) << made.status().message();
    EXPECT_FALSE(nccl.blocking);
    EXPECT_GE(nccl.questions, 5);
    EXPECT_EQ(logged, "ranks: rank 1 of 4 over NCCL 22809");
    EXPECT_EQ(FakeEvents::live, int(NcclWatchdog::kSteps));
  }
  EXPECT_EQ(nccl.calls(), (std::vector<std::string>{
                              "ncclGetVersion", "ncclCommInitRankConfig 1 of 4",
                              "ncclCommFinalize", "ncclCommDestroy"}));
  EXPECT_EQ(nccl.live, 0);
  EXPECT_EQ(FakeEvents::live, 0);
}

TEST_F(Nccl, aRankThatNeverComesIsAFailureInTime) {
  nccl.patience = -1;
  ranks.timeoutMilliseconds = 30;
  auto made = open();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.status().code(), StatusCode::CollectiveTimedOut);
  EXPECT_EQ(made.status().message(),
            "rank 1 of 4: ncclCommInitRankConfig: still in progress after 0.0 "
            "s; check that all ranks run and reach each other");
  EXPECT_EQ(nccl.aborted, 1);
  EXPECT_EQ(nccl.live, 0);
}

TEST_F(Nccl, anErrorWhileConnectingIsAFailure) {
  nccl.patience = 3;
  nccl.asyncError = ncclSystemError;
  auto made = open();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.status().message(),
            "rank 1 of 4: ncclCommInitRankConfig: unhandled system error (2), "
            "the cable is loose");
  EXPECT_EQ(nccl.aborted, 1);
  EXPECT_EQ(nccl.live, 0);
}

TEST_F(Nccl, refusesIdsAndRanksThatAreNone) {
  ranks.uniqueId.resize(5);
  EXPECT_EQ(open().status().message(),
            "expected an NCCL id of 128 bytes, but got 5");
  ranks.uniqueId.assign(128, 7);
  ranks.rank = 4;
  EXPECT_EQ(open().status().message(),
            "expected a rank below the number of ranks, but got 4 of 4");
  EXPECT_EQ(open().status().code(), StatusCode::InvalidArgument);
}

TEST_F(Nccl, makesIdsForAllRanks) {
  auto id = makeUniqueId(nccl.api());
  ASSERT_TRUE(id);
  EXPECT_EQ(*id, std::vector<uint8_t>(128, 7));
}

TEST_F(Nccl, aBucketIsOneGroup) {
  std::vector<cudaStream_t> streams;
  nccl.submit = [&](cudaStream_t on, std::function<void()> work) {
    streams.push_back(on);
    work();
  };
  auto made = open();
  ASSERT_TRUE(made);
  float source[3] = {1, -2, 3}, result[3] = {};
  Status status = enqueue(**made, ReduceKind::Sum, ElementType::F32, {3, 0, 2},
                          source, result);
  ASSERT_TRUE(status.ok()) << status.message();
  std::vector<std::string> calls = nccl.calls();
  EXPECT_EQ(
      std::vector<std::string>(calls.begin() + 2, calls.end()),
      (std::vector<std::string>{"ncclGroupStart", "ncclAllReduce f32 sum 3",
                                "ncclAllReduce f32 sum 2", "ncclGroupEnd"}));
  EXPECT_EQ(streams, std::vector<cudaStream_t>(2, stream));
  EXPECT_EQ(result[1], -8);
}

TEST_F(Nccl, everyTypeAndKindThatNcclHas) {
  auto made = open();
  ASSERT_TRUE(made);
  const std::pair<ElementType, const char *> types[] = {
      {ElementType::F64, "f64"},       {ElementType::F32, "f32"},
      {ElementType::F16, "f16"},       {ElementType::BF16, "bf16"},
      {ElementType::I64, "i64"},       {ElementType::I32, "i32"},
      {ElementType::F8E4M3, "f8e4m3"}, {ElementType::F8E5M2, "f8e5m2"}};
  double data[4] = {};
  for (auto [type, name] : types)
    for (auto [kind, op] : {std::pair(ReduceKind::Average, " average 4"),
                            std::pair(ReduceKind::Max, " maximum 4")}) {
      ASSERT_TRUE(enqueue(**made, kind, type, {4}, data, data).ok());
      auto calls = nccl.calls();
      EXPECT_EQ(calls[calls.size() - 2],
                std::string("ncclAllReduce ") + name + op);
    }
  ASSERT_TRUE(
      enqueue(**made, ReduceKind::Max, ElementType::I1, {4}, data, data).ok());
  Status refused =
      enqueue(**made, ReduceKind::Sum, ElementType::I1, {4}, data, data);
  EXPECT_EQ(refused.code(), StatusCode::InvalidProgram);
  EXPECT_EQ(refused.message(),
            "expected the maximum of i1, but got a sum or an average; NCCL has "
            "no such; reduce them as i32");
}

TEST_F(Nccl, aFailedCallEndsItsGroupAndNamesTheBucket) {
  for (const char *failing :
       {"ncclGroupStart", "ncclAllReduce", "ncclGroupEnd"}) {
    auto made = open();
    ASSERT_TRUE(made);
    nccl.interfere = [&](const char *function) {
      return std::string(function) == failing ? ncclInternalError : ncclSuccess;
    };
    float data[2] = {};
    Status status = enqueue(**made, ReduceKind::Average, ElementType::F32,
                            {1, 1}, data, data);
    EXPECT_EQ(status.code(), StatusCode::CollectiveFailed);
    EXPECT_EQ(status.message(),
              std::string("rank 1 of 4: all-reduce (average) of 2 tensors, 8 "
                          "bytes of f32: ") +
                  failing + ": internal error (3), the cable is loose");
    EXPECT_EQ(nccl.openGroups, 0);
    nccl.interfere = nullptr;
    made = Status(StatusCode::Internal, "given back");
    EXPECT_EQ(nccl.live, 0);
    EXPECT_EQ(FakeEvents::live, 0);
  }
}

TEST_F(Nccl, theCallersCommunicatorIsUsedAndLeft) {
  ncclComm_t theirs = nccl.makeCommunicator(2, 3);
  ranks = {};
  ranks.communicator = theirs;
  {
    auto made = open();
    ASSERT_TRUE(made) << made.status().message();
    EXPECT_EQ(logged, "ranks: rank 2 of 3 over NCCL 22809, the caller's "
                      "communicator");
    int32_t value = 5;
    ASSERT_TRUE(
        enqueue(**made, ReduceKind::Sum, ElementType::I32, {1}, &value, &value)
            .ok());
    EXPECT_EQ(value, 15);
  }
  EXPECT_EQ(nccl.live, 1);
  EXPECT_EQ(nccl.aborted, 0);
  EXPECT_EQ(nccl.revoked, 0);
  nccl.api().ncclCommDestroy(theirs);
}

TEST_F(Nccl, theCallersCommunicatorIsOnlyRevoked) {
  ncclComm_t theirs = nccl.makeCommunicator(0, 2);
  ranks = {};
  ranks.communicator = theirs;
  auto made = open();
  ASSERT_TRUE(made);
  ASSERT_TRUE((*made)->launched(stream).ok());
  nccl.asyncError = ncclRemoteError;
  ASSERT_TRUE(comes([&] { return !(*made)->check().ok(); }));
  EXPECT_NE((*made)->check().message().find(
                "the application must abort its communicator"),
            std::string::npos);
  made = Status(StatusCode::Internal, "given back");
  EXPECT_EQ(nccl.aborted, 0);
  EXPECT_EQ(nccl.revoked, 1);
  EXPECT_EQ(nccl.live, 1);
  nccl.api().ncclCommDestroy(theirs);
}

TEST_F(Nccl, anErrorNoticedLaterAbortsOnce) {
  auto made = open();
  ASSERT_TRUE(made);
  float data[4] = {};
  for (uint64_t count : {4, 2})
    ASSERT_TRUE(enqueue(**made, ReduceKind::Average, ElementType::F32, {count},
                        data, data)
                    .ok());
  ASSERT_TRUE((*made)->launched(stream).ok());
  EXPECT_EQ(FakeEvents::stream, stream);
  nccl.asyncError = ncclRemoteError;
  ASSERT_TRUE(comes([&] { return nccl.aborted == 1; }));
  Status status = (*made)->check();
  EXPECT_EQ(status.code(), StatusCode::CollectiveFailed);
  EXPECT_EQ(status.message(),
            "rank 1 of 4: 2 collectives of 24 bytes, the largest an all-reduce "
            "(average) of 1 tensor, 16 bytes of f32: NCCL noticed: remote "
            "process exited (6), the cable is loose");
  // It stays so, and nothing more is enqueued.
  EXPECT_FALSE((*made)->launched(stream).ok());
  EXPECT_FALSE(
      enqueue(**made, ReduceKind::Sum, ElementType::F32, {1}, data, data).ok());
  made = Status(StatusCode::Internal, "given back");
  EXPECT_EQ(nccl.aborted, 1);
  EXPECT_EQ(nccl.live, 0);
}

TEST_F(Nccl, aStepWithoutProgressAborts) {
  ranks.timeoutMilliseconds = 200;
  auto made = open();
  ASSERT_TRUE(made);
  ASSERT_TRUE((*made)->launched(stream).ok());
  EXPECT_TRUE((*made)->check().ok());
  ASSERT_TRUE(comes([&] { return nccl.aborted == 1; }));
  EXPECT_EQ((*made)->check().code(), StatusCode::CollectiveTimedOut);
  std::string text = (*made)->check().message();
  EXPECT_NE(text.find(" s, the limit is 0.2 s; check that all ranks run and "
                      "take the same steps"),
            std::string::npos)
      << text;
}

/// What NCCL does not see, as that a rank was killed, somebody else may know.
TEST_F(Nccl, aLossThatIsKnownAborts) {
  std::atomic<bool> isLost{false};
  std::atomic<int> asked{0};
  ranks.findLoss = [&]() -> Status {
    ++asked;
    if (!isLost)
      return {};
    return {StatusCode::CollectiveFailed, "rank 1: its connection broke"};
  };
  auto made = open();
  ASSERT_TRUE(made);
  std::this_thread::sleep_for(250ms);
  EXPECT_EQ(asked, 0) << "no step is under way";
  ASSERT_TRUE((*made)->launched(stream).ok());
  ASSERT_TRUE(comes([&] { return asked > 1; }));
  EXPECT_TRUE((*made)->check().ok());
  isLost = true;
  ASSERT_TRUE(comes([&] { return nccl.aborted == 1; }));
  EXPECT_EQ((*made)->check().code(), StatusCode::CollectiveFailed);
  EXPECT_NE((*made)->check().message().find("rank 1: its connection broke"),
            std::string::npos)
      << (*made)->check().message();
}

TEST_F(Nccl, progressOfOtherStepsStartsTheTimeAnew) {
  ranks.timeoutMilliseconds = 400;
  auto made = open();
  ASSERT_TRUE(made);
  FakeEvents::done = true;
  auto end = std::chrono::steady_clock::now() + 1s;
  while (std::chrono::steady_clock::now() < end) {
    ASSERT_TRUE((*made)->launched(stream).ok());
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE((*made)->check().ok());
  EXPECT_EQ(nccl.aborted, 0);
}

TEST_F(Nccl, moreStepsThanEventsAreWatchedTogether) {
  auto made = open();
  ASSERT_TRUE(made);
  for (size_t i = 0; i < 3 * NcclWatchdog::kSteps; ++i)
    ASSERT_TRUE((*made)->launched(stream).ok());
  EXPECT_EQ(FakeEvents::recorded, int(3 * NcclWatchdog::kSteps));
  EXPECT_EQ(FakeEvents::live, int(NcclWatchdog::kSteps));
  FakeEvents::done = true;
  ASSERT_TRUE(comes([&] { return FakeEvents::queried >= 16; }));
  EXPECT_TRUE((*made)->check().ok());
}

TEST_F(Nccl, withoutStepsTheWatchdogSleeps) {
  auto made = open();
  ASSERT_TRUE(made);
  int before = nccl.questions;
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(nccl.questions, before);
  EXPECT_EQ(FakeEvents::queried, 0);
}

TEST_F(Nccl, aFarewellThatHangsIsAnAbort) {
  ranks.timeoutMilliseconds = 50;
  {
    auto made = open();
    ASSERT_TRUE(made);
    nccl.patience = -1;
  }
  EXPECT_EQ(nccl.aborted, 1);
  EXPECT_EQ(nccl.live, 0);
}

TEST_F(Nccl, oneRankGoesTheSameWay) {
  ranks.rank = 0;
  ranks.size = 1;
  auto made = open();
  ASSERT_TRUE(made);
  float source = 3, result = 0;
  ASSERT_TRUE(
      enqueue(**made, ReduceKind::Sum, ElementType::F32, {1}, &source, &result)
          .ok());
  EXPECT_EQ(result, 3);
}

TEST_F(Nccl, oneThreadAtATimeIsInTheCommunicator) {
  auto made = NcclCommunicator::open(nccl.api(), ranks);
  ASSERT_TRUE(made);
  NcclCommunicator &communicator = **made;
  int asked = 0;
  auto askElsewhere = [&] {
    ++asked;
    std::thread([&] { EXPECT_TRUE(communicator.check().ok()); }).join();
  };
  // While this thread asks whether a group is done, which frees the group.
  nccl.patience = 2;
  nccl.onQuestion = [&, outer = std::this_thread::get_id()] {
    if (std::this_thread::get_id() == outer)
      askElsewhere();
  };
  auto group = [&](ncclComm_t handle) {
    float data = 0;
    (void)nccl.api().ncclGroupStart();
    (void)nccl.api().ncclAllReduce(&data, &data, 1, ncclFloat32, ncclSum,
                                   handle, stream);
    return nccl.api().ncclGroupEnd();
  };
  EXPECT_TRUE(communicator.run(group, "a group").ok());
  EXPECT_EQ(asked, 3);
  // While it enqueues one.
  nccl.interfere = [&](const char *function) {
    if (function == std::string("ncclAllReduce"))
      askElsewhere();
    return ncclSuccess;
  };
  int before = nccl.questions;
  nccl.patience = 0;
  EXPECT_TRUE(communicator.run(group, "a group").ok());
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(nccl.questions, before) << "asked while another thread was inside";
}

TEST_F(Nccl, anAbortEndsAWaitForNccl) {
  auto made = NcclCommunicator::open(nccl.api(), ranks);
  ASSERT_TRUE(made);
  NcclCommunicator &communicator = **made;
  nccl.patience = -1;
  std::thread other;
  nccl.onQuestion = [&] {
    if (!other.joinable())
      other = std::thread([&] { communicator.abort(); });
  };
  Status status = communicator.run(
      [&](ncclComm_t) {
        (void)nccl.api().ncclGroupStart();
        return nccl.api().ncclGroupEnd();
      },
      "ncclGroupEnd");
  other.join();
  EXPECT_EQ(status.code(), StatusCode::CollectiveFailed);
  EXPECT_EQ(status.message(), "ncclGroupEnd: the group was aborted meanwhile");
  EXPECT_EQ(nccl.aborted, 1);
  // Nor does anything enter it later.
  EXPECT_FALSE(
      communicator.run([](ncclComm_t) { return ncclSuccess; }, "x").ok());
  EXPECT_TRUE(communicator.check().ok());
}
