// Groups of ranks that are threads: what collectives compute, to the bit.
#include "mpc/Ranks/Group.h"

#include "RankValues.h"
#include "ThreadWorld.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace mpc;
using namespace mpc::ranks;
using namespace mpc::test;
using namespace std::chrono_literals;

namespace {

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
