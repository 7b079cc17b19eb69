// Placements of random lifetimes: what lives at the same time lies apart, no
// fewer bytes than the peak and no more than best fit by size alone, which is
// written down here once more.
#include "mpc/Dialect/Exec/Analysis/Placement.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
#include <random>

using namespace mpc;
using namespace mpc::exec;

namespace {

using Buffers = SmallVector<Lifetime>;

bool meet(const Lifetime &a, const Lifetime &b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Largest first, each into the smallest gap that it fits.
int64_t bytesBySize(Buffers buffers) {
  llvm::sort(buffers, [](const Lifetime &a, const Lifetime &b) {
    return std::tuple(-a.bytes, a.first, a.last) <
           std::tuple(-b.bytes, b.first, b.last);
  });
  std::vector<std::pair<int64_t, Lifetime>> placed;
  int64_t bytes = 0;
  for (const Lifetime &buffer : buffers) {
    int64_t end = 0, best = -1, size = INT64_MAX;
    for (const auto &[offset, other] : placed)
      if (meet(buffer, other)) {
        if (offset - end >= buffer.bytes && offset - end < size) {
          best = end;
          size = offset - end;
        }
        end = std::max(end, offset + other.bytes);
      }
    int64_t begin = best >= 0 ? best : end;
    placed.push_back({begin, buffer});
    llvm::sort(placed,
               [](const auto &a, const auto &b) { return a.first < b.first; });
    bytes = std::max(bytes, begin + buffer.bytes);
  }
  return bytes;
}

void expectApart(const Buffers &buffers, const Placement &placement) {
  ASSERT_EQ(placement.offsets.size(), buffers.size());
  for (size_t a = 0; a < buffers.size(); ++a) {
    int64_t begin = placement.offsets[a], end = begin + buffers[a].bytes;
    EXPECT_GE(begin, 0);
    EXPECT_LE(end, placement.bytes);
    for (size_t b = 0; b < a; ++b)
      if (meet(buffers[a], buffers[b])) {
        EXPECT_TRUE(end <= placement.offsets[b] ||
                    placement.offsets[b] + buffers[b].bytes <= begin)
            << a << " and " << b;
      }
  }
}

/// By adding up what is live at each time.
int64_t largestLiveSet(const Buffers &buffers) {
  int64_t largest = 0;
  for (const Lifetime &at : buffers) {
    int64_t sum = 0;
    for (const Lifetime &buffer : buffers)
      if (buffer.first <= at.first && at.first <= buffer.last)
        sum += buffer.bytes;
    largest = std::max(largest, sum);
  }
  return largest;
}

TEST(Placement, OfNothing) {
  Placement placement = Placement::find({});
  EXPECT_EQ(placement.bytes, 0);
  EXPECT_TRUE(placement.offsets.empty());
}

TEST(Placement, PeakIsTheFirstLargestLiveSet) {
  Buffers buffers{{512, 0, 2}, {256, 2, 4}, {768, 5, 5}};
  Peak peak = Peak::of(buffers);
  EXPECT_EQ(peak.bytes, 768);
  EXPECT_EQ(peak.time, 2);
}

// By size, the two of 512 lie on each other, and what lives beside both does
// not fit below 1280: by start, or with the misfit moved, it does.
TEST(Placement, OtherOrdersThanBySize) {
  Buffers buffers{{768, 0, 1}, {512, 1, 2}, {768, 2, 3},
                  {512, 3, 4}, {256, 0, 0}, {256, 4, 4}};
  Placement placement = Placement::find(buffers);
  expectApart(buffers, placement);
  EXPECT_EQ(placement.bytes, largestLiveSet(buffers));
}

TEST(Placement, OfRandomLifetimes) {
  std::mt19937 random(7);
  auto below = [&](uint32_t end) { return int64_t(random() % end); };
  int better = 0;
  double waste = 0;
  constexpr int kCases = 300;
  for (int number = 0; number < kCases; ++number) {
    Buffers buffers;
    int64_t count = 1 + below(120), times = 1 + below(80);
    bool isNested = number % 3 == 0; // as values kept for a backward
    for (int64_t i = 0; i < count; ++i) {
      int64_t first = below(times);
      int64_t last = isNested ? std::max(first, times - first)
                              : std::min(times, first + below(12));
      buffers.push_back({256 * (1 + below(16)), first, last});
    }
    Placement placement = Placement::find(buffers);
    expectApart(buffers, placement);
    int64_t least = largestLiveSet(buffers), bySize = bytesBySize(buffers);
    EXPECT_EQ(Peak::of(buffers).bytes, least);
    EXPECT_GE(placement.bytes, least);
    EXPECT_LE(placement.bytes, bySize);
    better += placement.bytes < bySize;
    waste += double(placement.bytes) / double(least) - 1;
  }
  EXPECT_GT(better, kCases / 10);
  EXPECT_LT(waste / kCases, 0.005);
}

// What is gathered up to one time fills memory at that time; what lives shortly
// before finds its place in between.
TEST(Placement, WithThePeakFirst) {
  std::mt19937 random(11);
  auto below = [&](uint32_t end) { return int64_t(random() % end); };
  int atPeak = 0;
  for (int number = 0; number < 200; ++number) {
    // What is kept up to one time and read after it, as gradients up to a norm.
    Buffers buffers;
    int64_t top = 40 + below(40);
    for (int64_t i = 0; i < 60; ++i)
      buffers.push_back({256 * (1 + below(64)), below(top), top});
    for (int64_t i = 0; i < 120; ++i) {
      int64_t first = below(top);
      buffers.push_back({256 * (1 + below(16)), first, first + 1 + below(2)});
    }
    Placement placement = Placement::find(buffers);
    expectApart(buffers, placement);
    atPeak += placement.order.starts_with("peak");
    EXPECT_LE(double(placement.bytes), 1.02 * double(largestLiveSet(buffers)));
  }
  EXPECT_GT(atPeak, 20);
}

int64_t countPairs(const Buffers &buffers) {
  return int64_t(buffers.size() * (buffers.size() - 1) / 2);
}

// As many as thousands of layers have: the first order is as good as it gets,
// so no other is tried, and none looks at a pair of buffers twice.
TEST(Placement, OfManyLayers) {
  Buffers buffers;
  constexpr int64_t kLayers = 4000;
  for (int64_t i = 0; i < kLayers; ++i) {
    buffers.push_back({25600, 2 * i, 6 * kLayers - 2 * i});
    buffers.push_back({256 * (50 + i % 3), 2 * i, 2 * i + 2});
    buffers.push_back(
        {256 * (70 + i % 5), 6 * kLayers - 4 * i, 6 * kLayers - 4 * i + 3});
  }
  Placement placement = Placement::find(buffers);
  EXPECT_EQ(placement.bytes, Peak::of(buffers).bytes);
  EXPECT_GT(placement.work, 0);
  EXPECT_LE(placement.work, countPairs(buffers));
}

// Where no order meets the peak, orders are tried as long as they have looked
// at fewer than 2^26 buffers, and the one that was begun is ended.
TEST(Placement, WorkIsBounded) {
  std::mt19937 random(7);
  Buffers buffers;
  for (int i = 0; i < 3000; ++i) {
    auto first = int64_t(random() % 8000);
    buffers.push_back(
        {256 * (1 + int64_t(random() % 16)), first,
         std::min<int64_t>(8000, first + int64_t(random() % 600))});
  }
  Placement first = Placement::find(buffers), second = Placement::find(buffers);
  EXPECT_EQ(first.offsets, second.offsets);
  EXPECT_EQ(first.work, second.work);
  EXPECT_GT(first.bytes, Peak::of(buffers).bytes);
  constexpr int64_t kMostWork = int64_t(1) << 26;
  EXPECT_GT(first.work, kMostWork);
  EXPECT_LE(first.work, kMostWork + countPairs(buffers));
}

} // namespace
