// Groups of ranks that are threads: what collectives compute, to the bit, and
// what they say when a rank is late, gives up, or asks for nonsense.
#include "mpc/Ranks/Group.h"

#include "RankValues.h"
#include "Ranks/Group/Announcement.h"
#include "ThreadTransport.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <thread>

using namespace mpc;
using namespace mpc::ranks;
using namespace mpc::test;
using namespace std::chrono_literals;

namespace {

/// A group per rank, each used by a thread of its own.
struct World {
  explicit World(uint32_t size, GroupOptions options = {}) {
    for (uint32_t rank = 0; rank < size; ++rank)
      groups.push_back(std::make_unique<Group>(
          std::make_unique<ThreadTransport>(mail, rank, size), options));
  }
  void each(const std::function<void(Group &group, uint32_t rank)> &run) {
    std::vector<std::thread> threads;
    for (uint32_t rank = 0; rank < groups.size(); ++rank)
      threads.emplace_back([&, rank] { run(*groups[rank], rank); });
    for (std::thread &thread : threads)
      thread.join();
  }

  std::shared_ptr<Mail> mail = std::make_shared<Mail>();
  std::vector<std::unique_ptr<Group>> groups;
};

constexpr uint64_t kCounts[] = {0, 1, 2, 63, 64, 65, 1000, 4096, 4097, 30011};

} // namespace

TEST(Group, sumsInTheOrderOfRanks) {
  for (uint32_t size = 1; size <= 5; ++size) {
    World world(size);
    for (uint64_t count : kCounts)
      for (bool inPlace : {false, true})
        world.each([&](Group &group, uint32_t rank) {
          std::vector<float> x = makeValues(rank, count), y(count, NAN);
          float *result = inPlace ? x.data() : y.data();
          Status status =
              group.run({.count = count, .source = x.data(), .result = result});
          ASSERT_TRUE(status.ok()) << status.message();
          for (uint64_t i = 0; i < count; ++i)
            ASSERT_EQ(result[i], sumOf(size, i)) << i << " of " << count;
          for (uint64_t i = 0; !inPlace && i < count; ++i)
            ASSERT_EQ(x[i], valueOf(rank, i)) << "the source changed";
        });
  }
}

TEST(Group, scattersAndGathersParts) {
  for (uint32_t size = 1; size <= 4; ++size) {
    World world(size);
    for (uint64_t count : kCounts)
      world.each([&](Group &group, uint32_t rank) {
        std::vector<float> x = makeValues(rank, count * size), part(count),
                           all(count * size);
        Group::Ticket scattered =
            group.start({.kind = CollectiveKind::ReduceScatter,
                         .reduction = Reduction::Average,
                         .count = count,
                         .source = x.data(),
                         .result = part.data()});
        Group::Ticket gathered = group.start({.kind = CollectiveKind::AllGather,
                                              .count = count,
                                              .source = part.data(),
                                              .result = all.data()});
        ASSERT_TRUE(group.wait(gathered).ok());
        ASSERT_TRUE(group.isDone(scattered));
        for (uint64_t i = 0; i < all.size(); ++i)
          ASSERT_EQ(all[i], sumOf(size, i) / float(size));
      });
  }
}

TEST(Group, broadcastsFromAnyRoot) {
  for (uint32_t size = 1; size <= 4; ++size) {
    World world(size);
    for (uint32_t root = 0; root < size; ++root)
      for (uint64_t count : kCounts)
        world.each([&](Group &group, uint32_t rank) {
          std::vector<float> x = makeValues(rank, count), y(count);
          bool inPlace = root % 2;
          Status status =
              group.run({.kind = CollectiveKind::Broadcast,
                         .count = count,
                         .source = rank == root ? x.data() : nullptr,
                         .result = inPlace ? x.data() : y.data(),
                         .root = root});
          ASSERT_TRUE(status.ok()) << status.message();
          for (uint64_t i = 0; i < count; ++i)
            ASSERT_EQ((inPlace ? x : y)[i], valueOf(root, i));
        });
  }
}

// 1 + 3 x 2^-9: each partial sum rounded to bf16 would stay 1.
TEST(Group, roundsSumsOf16BitsOnce) {
  World world(4);
  for (uint64_t count : {1, 20000})
    world.each([&](Group &group, uint32_t rank) {
      uint16_t own = floatToBFloat(rank ? 0x1p-9f : 1.0f);
      std::vector<uint16_t> x(count, own);
      ASSERT_TRUE(group
                      .run({.type = DType::BF16,
                            .count = count,
                            .source = x.data(),
                            .result = x.data()})
                      .ok());
      EXPECT_EQ(bfloatToFloat(x.front()), 1.0078125f);
      EXPECT_EQ(bfloatToFloat(x.back()), 1.0078125f);
      std::vector<uint16_t> h(count, floatToHalf(rank ? 0x1p-12f : 1.0f));
      ASSERT_TRUE(group
                      .run({.type = DType::F16,
                            .count = count,
                            .source = h.data(),
                            .result = h.data()})
                      .ok());
      EXPECT_EQ(halfToFloat(h.back()), 1.0009765625f);
      // 60000 + 60000 is no f16, but the average of both is.
      std::vector<uint16_t> large(count, floatToHalf(60000));
      ASSERT_TRUE(group
                      .run({.type = DType::F16,
                            .reduction = Reduction::Average,
                            .count = count,
                            .source = large.data(),
                            .result = large.data()})
                      .ok());
      EXPECT_EQ(halfToFloat(large.front()), 60000);
    });
}

TEST(Group, foldsOtherTypes) {
  World world(3);
  world.each([&](Group &group, uint32_t rank) {
    auto run = [&](DType type, Reduction reduction, void *data) {
      return group.run({.type = type,
                        .reduction = reduction,
                        .count = 2,
                        .source = data,
                        .result = data});
    };
    double wide[] = {rank == 0 ? 1e100 : rank == 1 ? 1.0 : -1e100, 0.1};
    ASSERT_TRUE(run(DType::F64, Reduction::Sum, wide).ok());
    EXPECT_EQ(wide[0], 0.0); // (1e100 + 1) - 1e100
    EXPECT_EQ(wide[1], 0.1 + 0.1 + 0.1);
    int32_t small[] = {std::numeric_limits<int32_t>::max(), int32_t(rank)};
    ASSERT_TRUE(run(DType::I32, Reduction::Sum, small).ok());
    EXPECT_EQ(small[0], std::numeric_limits<int32_t>::max() - 2); // it wraps
    EXPECT_EQ(small[1], 3);
    int64_t large[] = {int64_t(rank) << 40, -int64_t(rank)};
    ASSERT_TRUE(run(DType::I64, Reduction::Max, large).ok());
    EXPECT_EQ(large[0], int64_t(2) << 40);
    EXPECT_EQ(large[1], 0);
    uint8_t flags[] = {uint8_t(rank == 1), 0};
    ASSERT_TRUE(run(DType::I1, Reduction::Max, flags).ok());
    EXPECT_EQ(flags[0], 1);
    EXPECT_EQ(flags[1], 0);
    float odd[] = {rank == 1 ? NAN : 1.0f,
                   rank == 2 ? -INFINITY : -float(rank) - 1};
    ASSERT_TRUE(run(DType::F32, Reduction::Max, odd).ok());
    EXPECT_TRUE(std::isnan(odd[0]));
    EXPECT_EQ(odd[1], -1);
  });
}

TEST(Group, keepsManyUnderWay) {
  World world(3);
  world.each([&](Group &group, uint32_t rank) {
    std::vector<std::vector<float>> x;
    std::vector<Group::Ticket> tickets;
    for (uint64_t i = 0; i < 40; ++i)
      x.push_back(makeValues(rank, 1 + i * 700));
    for (auto &each : x)
      tickets.push_back(group.start({.count = each.size(),
                                     .source = each.data(),
                                     .result = each.data()}));
    for (size_t i = tickets.size(); i-- > 0;) {
      ASSERT_TRUE(group.wait(tickets[i]).ok());
      ASSERT_EQ(x[i].back(), sumOf(3, x[i].size() - 1));
    }
    ASSERT_TRUE(group.run({.kind = CollectiveKind::Barrier}).ok());
  });
}

// Tensors in one message: the same bits as each by itself, wherever they lie,
// and nothing beside them is touched.
TEST(Group, reducesTensorsTogether) {
  for (uint32_t size = 1; size <= 4; ++size)
    for (uint64_t gap : {0, 3}) {
      World world(size);
      world.each([&](Group &group, uint32_t rank) {
        uint64_t end = 0;
        Collective bucket;
        std::vector<float> x = makeValues(rank, 40000), y(40000, -1);
        for (uint64_t count : {0, 5, 1, 7000, 64, 20000}) {
          bool inPlace = gap == 0 || count != 64;
          bucket.pieces.push_back(
              {x.data() + end, (inPlace ? x : y).data() + end, count});
          end += count + gap;
        }
        std::vector<Piece> pieces = bucket.pieces;
        Status status = group.run(std::move(bucket));
        ASSERT_TRUE(status.ok()) << status.message();
        std::vector<float> expected = makeValues(rank, 40000);
        for (const Piece &piece : pieces)
          for (uint64_t i = 0; i < piece.count; ++i) {
            auto *source = static_cast<const float *>(piece.source);
            ASSERT_EQ(static_cast<float *>(piece.result)[i],
                      sumOf(size, source - x.data() + i));
            if (piece.result == piece.source)
              expected[source - x.data() + i] =
                  sumOf(size, source - x.data() + i);
          }
        ASSERT_EQ(x, expected);
        ASSERT_EQ(std::ranges::count(y, -1), gap == 0 ? 40000 : 40000 - 64);
      });
    }
  // As many messages as one tensor would need.
  World world(2);
  world.each([&](Group &group, uint32_t rank) {
    std::vector<float> x = makeValues(rank, 9000);
    Collective bucket;
    for (uint64_t i = 0; i < 9; ++i)
      bucket.pieces.push_back(
          {&x[i * 1000], &x[i * 1000], i == 4 ? 999u : 1000});
    ASSERT_TRUE(group.run(std::move(bucket)).ok());
  });
  EXPECT_EQ(world.mail->sent, 2 * (2 + 1)); // What it is, in front.
}

// Each element goes to its folder and from there to all: 2 (ranks - 1) / ranks
// of the tensor per rank, which no exchange can do with less.
TEST(Group, movesNoMoreThanItMust) {
  World world(4);
  constexpr uint64_t count = 1 << 16;
  world.each([&](Group &group, uint32_t rank) {
    std::vector<float> x = makeValues(rank, count);
    ASSERT_TRUE(
        group.run({.count = count, .source = x.data(), .result = x.data()})
            .ok());
  });
  // And in front of it, by each to each, 256 bytes that say what it is.
  EXPECT_EQ(world.mail->bytes, 4 * 3 * (2 * (count / 4) * sizeof(float) + 256));
  EXPECT_EQ(world.mail->sent, 4 * 3 * (2 + 1));
}

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

// Of long ones the first 256 of the group: a message more each.
TEST(Group, announcesWhatIsShortAndTheFirst) {
  World world(2);
  world.each([&](Group &group, uint32_t rank) {
    std::vector<float> x = makeValues(rank, 1000);
    for (int i = 0; i < 300; ++i)
      ASSERT_TRUE(
          group.run({.count = 1000, .source = x.data(), .result = x.data()})
              .ok());
    ASSERT_TRUE(group.run({.kind = CollectiveKind::Barrier}).ok());
    Status status =
        rank ? group.run({.kind = CollectiveKind::Barrier})
             : group.run({.count = 2, .source = x.data(), .result = x.data()});
    EXPECT_NE(status.message().find("number 302, and rank"), std::string::npos)
        << status.message();
  });
  EXPECT_EQ(world.mail->sent, 2 * (256 + 300 + 2));
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

// The elements that come with it, up to the first that do not.
TEST(Group, exchangesShortOnes) {
  for (uint64_t count : {0, 1, 31, 32, 33}) {
    World world(3);
    world.each([&](Group &group, uint32_t rank) {
      std::vector<float> x = makeValues(rank, count), sum(count), own(count),
                         all(3 * count);
      if (rank == 2)
        own = x;
      for (const Collective &each :
           {Collective{
                .count = count, .source = x.data(), .result = sum.data()},
            Collective{.kind = CollectiveKind::AllGather,
                       .count = count,
                       .source = x.data(),
                       .result = all.data()},
            Collective{.kind = CollectiveKind::Broadcast,
                       .count = count,
                       .source = rank == 2 ? x.data() : nullptr,
                       .result = own.data(),
                       .root = 2}})
        ASSERT_TRUE(group.run(each).ok());
      for (uint64_t i = 0; i < count; ++i) {
        ASSERT_EQ(sum[i], sumOf(3, i));
        ASSERT_EQ(own[i], valueOf(2, i));
        for (uint32_t other = 0; other < 3; ++other)
          ASSERT_EQ(all[other * count + i], valueOf(other, i));
      }
    });
  }
}

// Names are for messages, and tensors may be cut in another way.
TEST(Group, comparesNoNames) {
  World world(2);
  world.each([&](Group &group, uint32_t rank) {
    float x[3] = {1, 2, 3};
    Collective which = {.name = rank ? std::string(200, 'x') : "bucket"};
    if (rank)
      which.pieces = {{x, x, 1}, {x + 1, x + 1, 2}};
    else
      which.pieces = {{x, x, 3}};
    ASSERT_TRUE(group.run(which).ok());
    EXPECT_EQ(x[2], 6);
  });
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
