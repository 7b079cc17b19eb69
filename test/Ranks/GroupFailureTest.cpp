// What groups say when a rank is late, gives up, means another collective, or
// asks for nonsense.
#include "RankValues.h"
#include "Ranks/Group/Announcement.h"
#include "ThreadWorld.h"
#include <future>
#include <gtest/gtest.h>

using namespace mpc;
using namespace mpc::test;
using namespace std::chrono_literals;

namespace {
/// What two ranks say, of which each begins another collective, and what that
/// is by its message.
struct Disagreement {
  Collective zero, one;
  std::string ofZero, ofOne;
};
} // namespace

// Bytes of one are never taken for those of another, were they as many.
TEST(Group, refusesCollectivesOfDifferentKinds) {
  static float x[64], y[64];
  auto all = [](Collective which) {
    which.source = x;
    which.result = y;
    return which;
  };
  using Kind = CollectiveKind;
  const Disagreement cases[] = {
      {all({.count = 12, .name = "bucket 0"}),
       all({.kind = Kind::AllGather, .type = DType::I64, .count = 6}),
       "all-reduce of 12 x f32, bucket 0 (sum)", "all-gather of 6 x i64"},
      {all({.count = 12}), all({.count = 13}), "all-reduce of 12 x f32 (sum)",
       "all-reduce of 13 x f32 (sum)"},
      {all({.count = 12}), all({.reduction = Reduction::Average, .count = 12}),
       "all-reduce of 12 x f32 (sum)", "all-reduce of 12 x f32 (average)"},
      {all({.type = DType::BF16, .count = 2}),
       all({.type = DType::F16, .count = 2}), "all-reduce of 2 x bf16 (sum)",
       "all-reduce of 2 x f16 (sum)"},
      {{.kind = Kind::Barrier, .name = "at the end"},
       all({.kind = Kind::Broadcast, .type = DType::I1, .count = 1, .root = 1}),
       "barrier, at the end",
       "broadcast of 1 x i1 from rank 1"},
      {all({.kind = Kind::Broadcast, .count = 3}),
       all({.kind = Kind::Broadcast, .count = 3, .root = 1}),
       "broadcast of 3 x f32 from rank 0", "broadcast of 3 x f32 from rank 1"},
      {all({.kind = Kind::ReduceScatter, .count = 4}),
       {.pieces = {{x, y, 2}, {x + 2, y + 2, 2}}},
       "reduce-scatter of 4 x f32 (sum)",
       "all-reduce of 4 x f32 (sum)"}};
  for (const Disagreement &each : cases) {
    World world(3); // Rank 2 does as rank 0.
    world.each([&](Group &group, uint32_t rank) {
      ASSERT_TRUE(group.run({.kind = Kind::Barrier}).ok());
      Status status = group.run(rank == 1 ? each.one : each.zero);
      EXPECT_EQ(status.code(), StatusCode::CollectiveFailed);
      std::string expected =
          "expected all ranks to begin the same collective, but this one "
          "begins " +
          (rank == 1 ? each.ofOne : each.ofZero) + ", number 2, and rank " +
          (rank == 1 ? "0 " + each.ofZero : "1 " + each.ofOne) + ", number 2";
      EXPECT_NE(status.message().find(expected), std::string::npos)
          << status.message() << "\nexpected: " << expected;
    });
  }
}

// Long ones behind those are told apart by their messages: they do not come.
TEST(Group, takesNoOtherCollectivesBytes) {
  World world(2, {.timeout = 300ms});
  world.each([&](Group &group, uint32_t rank) {
    std::vector<float> x = makeValues(rank, 64), y(128);
    for (int i = 0; i < 256; ++i)
      ASSERT_TRUE(group.run({.kind = CollectiveKind::Barrier}).ok());
    Collective which = {.kind = rank ? CollectiveKind::AllGather
                                     : CollectiveKind::AllReduce,
                        .count = 64,
                        .source = x.data(),
                        .result = y.data()};
    EXPECT_EQ(group.run(which).code(), StatusCode::CollectiveTimedOut);
  });
  // Nor is what says what a short one is, of as many bytes as the elements.
  World other(2, {.timeout = 300ms});
  other.each([&](Group &group, uint32_t rank) {
    std::vector<float> x = makeValues(rank, 64);
    for (int i = 0; i < 256; ++i)
      ASSERT_TRUE(group.run({.kind = CollectiveKind::Barrier}).ok());
    Status status =
        rank ? group.run({.kind = CollectiveKind::Barrier})
             : group.run({.count = 64, .source = x.data(), .result = x.data()});
    EXPECT_EQ(status.code(), StatusCode::CollectiveTimedOut);
  });
}

TEST(Group, readsNoNonsenseOfOthers) {
  Announcement foreign;
  std::memset(&foreign, 0x3f, sizeof foreign);
  EXPECT_EQ(foreign.text(), "what is no collective");
}

TEST(Group, tellsThatARankIsLate) {
  World world(3, {.timeout = 200ms, .explain = [](const Status &failure) {
                    EXPECT_EQ(failure.code(), StatusCode::CollectiveTimedOut);
                    return std::string("rank 1 does not answer");
                  }});
  auto begin = Clock::now();
  world.each([&](Group &group, uint32_t rank) {
    float x = 1;
    ASSERT_TRUE(group.run({.count = 1, .source = &x, .result = &x}).ok());
    if (rank == 1)
      return;
    Group::Ticket late = group.start(
        {.count = 1, .source = &x, .result = &x, .name = "bucket 3"});
    Status status = group.wait(late);
    EXPECT_EQ(status.code(), StatusCode::CollectiveTimedOut);
    std::string start = "all-reduce of 1 x f32, bucket 3, on rank " +
                        std::to_string(rank) + " of 3, after 0.2";
    EXPECT_EQ(status.message().substr(0, start.size()), start);
    EXPECT_NE(status.message().find("; rank 1 does not answer"),
              std::string::npos);
    // It is the last word.
    EXPECT_EQ(group.run({.kind = CollectiveKind::Barrier}).message(),
              status.message());
    EXPECT_EQ(group.status().message(), status.message());
    EXPECT_TRUE(group.wait(1).ok()) << "the first one was done before";
  });
  EXPECT_LT(Clock::now() - begin, 3s);
}

TEST(Group, givesUpWhenItIsTold) {
  World world(2);
  float x = 1;
  Group &group = *world.groups[0];
  Group::Ticket ticket = group.start({.count = 1, .source = &x, .result = &x});
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(group.isDone(ticket));
  group.abort("rank 1 was lost: its connection broke");
  Status status = group.wait(ticket);
  EXPECT_EQ(status.code(), StatusCode::CollectiveFailed);
  EXPECT_EQ(status.message(), "rank 1 was lost: its connection broke");
  group.abort("another reason");
  EXPECT_EQ(group.status().message(), status.message());
}

// News that a rank goes may be faster than its last message.
TEST(Group, takesWhatWasSentBeforeARankWent) {
  for (bool hasFinished : {true, false}) {
    auto mail = std::make_shared<Mail>();
    std::promise<void> open;
    auto slow = std::make_unique<ThreadTransport>(mail, 0, 2);
    slow->beforeTaking = [gate = open.get_future().share()] { gate.wait(); };
    Group zero(std::move(slow), {});
    Group one(std::make_unique<ThreadTransport>(mail, 1, 2), {});
    float x = 1, y = 2;
    Group::Ticket ticket = zero.start({.count = 1, .source = &x, .result = &x});
    ASSERT_TRUE(one.run({.count = 1, .source = &y, .result = &y}).ok());
    EXPECT_EQ(one.finished(), 1u);
    EXPECT_EQ(zero.finished(), 0u);
    zero.lose(hasFinished ? one.finished() : 0);
    open.set_value();
    EXPECT_EQ(zero.wait(ticket).ok(), hasFinished) << zero.status().message();
    EXPECT_EQ(x, hasFinished ? 3.0f : 1.0f);
    EXPECT_EQ(zero.finished(), hasFinished ? 1u : 0u);
    // What is behind it does not wait.
    EXPECT_EQ(zero.run({.kind = CollectiveKind::Barrier}).code(),
              StatusCode::CollectiveFailed);
    zero.lose(9); // of another rank; too late
    EXPECT_EQ(zero.finished(), hasFinished ? 1u : 0u);
  }
}

// Both ways round: it is told that a rank goes when it has finished as much.
TEST(Group, waitsForNoneBehindWhatARankHadFinished) {
  World world(2);
  world.each([](Group &group, uint32_t) {
    ASSERT_TRUE(group.run({.kind = CollectiveKind::Barrier}).ok());
  });
  Group &group = *world.groups[0];
  Group::Ticket ticket = group.start({.kind = CollectiveKind::Barrier});
  group.lose(1);
  EXPECT_EQ(group.wait(ticket).code(), StatusCode::CollectiveFailed);
  EXPECT_TRUE(group.wait(1).ok());
}

// All has come, and the group gives up before it has said so.
TEST(Group, keepsWhatWasDoneWhenItGivesUp) {
  Group *own = nullptr;
  auto mail = std::make_shared<Mail>();
  Group zero(std::make_unique<ThreadTransport>(mail, 0, 2),
             {.observe = [&own](uint64_t, const CollectiveTimes &) {
               own->abort("enough");
             }});
  own = &zero;
  Group one(std::make_unique<ThreadTransport>(mail, 1, 2), {});
  float x = 1, y = 2;
  Group::Ticket ticket = zero.start({.count = 1, .source = &x, .result = &x});
  ASSERT_TRUE(one.run({.count = 1, .source = &y, .result = &y}).ok());
  EXPECT_TRUE(zero.wait(ticket).ok());
  EXPECT_EQ(x, 3.0f);
  EXPECT_EQ(zero.finished(), 1u);
  EXPECT_EQ(zero.run({.kind = CollectiveKind::Barrier}).message(), "enough");
  EXPECT_EQ(zero.finished(), 1u);
}

// A rank that gives up says how many collectives went well: one that ends well
// meanwhile counts, or fails; it never ends well behind the count.
TEST(Group, countsWhatWentWellForGood) {
  for (bool isPatient : {true, false}) {
    std::promise<void> isThere, open;
    auto mail = std::make_shared<Mail>();
    Group zero(std::make_unique<ThreadTransport>(mail, 0, 2),
               {.observe = [&](uint64_t, const CollectiveTimes &) {
                 isThere.set_value();
                 open.get_future().wait();
               }});
    Group one(std::make_unique<ThreadTransport>(mail, 1, 2), {});
    float x = 1, y = 2;
    Group::Ticket ticket = zero.start({.count = 1, .source = &x, .result = &x});
    ASSERT_TRUE(one.run({.count = 1, .source = &y, .result = &y}).ok());
    isThere.get_future().wait(); // All has come; it is not said yet.
    auto count = std::async(std::launch::async, [&] {
      return zero.close("enough", isPatient ? 60s : 0s);
    });
    if (!isPatient)
      count.wait();
    while (zero.status().ok())
      std::this_thread::yield();
    open.set_value();
    EXPECT_EQ(count.get(), isPatient ? 1u : 0u);
    EXPECT_EQ(zero.wait(ticket).message(), isPatient ? "" : "enough");
    EXPECT_EQ(zero.finished(), isPatient ? 1u : 0u);
    EXPECT_EQ(zero.close("again", 60s), isPatient ? 1u : 0u);
  }
}

TEST(Group, closesWhileItWaits) {
  World world(2);
  float x = 1;
  for (int i = 0; i < 3; ++i)
    world.groups[0]->start({.count = 1, .source = &x, .result = &x});
  world.groups.clear(); // ends at once
}

TEST(Group, refusesNonsense) {
  struct Case {
    Collective collective;
    const char *what;
  };
  float x = 1;
  const Case cases[] = {
      {{.type = DType::F8E4M3, .count = 1, .source = &x, .result = &x},
       "all-reduce of 1 x f8E4M3FN: ranks do not fold elements of this type"},
      {{.type = DType::I32,
        .reduction = Reduction::Average,
        .count = 1,
        .source = &x,
        .result = &x},
       "all-reduce of 1 x i32: ranks do not fold elements of this type so"},
      {{.kind = CollectiveKind::Broadcast,
        .count = 1,
        .source = &x,
        .result = &x,
        .root = 2},
       "broadcast of 1 x f32: expected a root below 2, but got 2"},
      {{.kind = CollectiveKind::AllGather, .count = 1, .source = &x},
       "all-gather of 1 x f32: expected memory to read and to write"},
      {{.count = UINT64_MAX / 4, .source = &x, .result = &x},
       "its bytes are more than memory can have"},
      {{.kind = CollectiveKind::ReduceScatter,
        .count = UINT64_MAX / 16,
        .source = &x,
        .result = &x},
       "its bytes are more than memory can have"},
      {{.pieces = {{&x, &x, UINT64_MAX / 40}, {&x, &x, UINT64_MAX / 40}}},
       "its bytes are more than memory can have"},
      {{.pieces = {{&x, &x, 1}, {&x, nullptr, 2}}},
       "all-reduce of 3 x f32: expected memory to read and to write"},
      {{.count = 1, .source = &x, .result = &x, .pieces = {{&x, &x, 1}}},
       "expected pieces of an all-reduce, and no other memory"},
      {{.kind = CollectiveKind::Broadcast, .pieces = {{&x, &x, 1}}},
       "expected pieces of an all-reduce, and no other memory"}};
  for (const Case &each : cases) {
    World world(2);
    Status status = world.groups[0]->run(each.collective);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_NE(status.message().find(each.what), std::string::npos)
        << status.message();
  }
}

// The thread that makes collectives is nobody's to catch exceptions of.
TEST(Group, tellsWhatIsThrown) {
  World world(2, {.observe = [](uint64_t, const CollectiveTimes &) {
                throw std::runtime_error("of a test");
              }});
  world.each([](Group &group, uint32_t) {
    Status status = group.run({.kind = CollectiveKind::Barrier});
    EXPECT_EQ(status.code(), StatusCode::Internal);
    EXPECT_NE(status.message().find("of a test"), std::string::npos);
  });
  World other(2,
              {.timeout = 100ms, .explain = [](const Status &) -> std::string {
                 throw std::runtime_error("of a test");
               }});
  EXPECT_EQ(other.groups[0]->run({.kind = CollectiveKind::Barrier}).code(),
            StatusCode::CollectiveTimedOut);
}

TEST(Group, tellsThatThereIsNoMemory) {
#ifdef MPC_SANITIZED
  GTEST_SKIP() << "an allocator of a sanitizer throws nothing: it ends the "
                  "process";
#endif
  World world(2, {.timeout = 2s});
  static float x[2];
  world.each([](Group &group, uint32_t) {
    Status status =
        group.run({.pieces = {{x, x, UINT64_MAX / 64}, {x + 1, x + 1, 1}}});
    EXPECT_EQ(status.code(), StatusCode::OutOfMemory) << status.message();
  });
}
