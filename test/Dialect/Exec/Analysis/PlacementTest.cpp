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

// As many as thousands of layers have; the work is bounded, and the same each
// time.
TEST(Placement, OfManyLayers) {
  Buffers buffers;
  constexpr int64_t kLayers = 4000;
  for (int64_t i = 0; i < kLayers; ++i) {
    buffers.push_back({25600, 2 * i, 6 * kLayers - 2 * i});
    buffers.push_back({256 * (50 + i % 3), 2 * i, 2 * i + 2});
    buffers.push_back(
        {256 * (70 + i % 5), 6 * kLayers - 4 * i, 6 * kLayers - 4 * i + 3});
  }
  Placement first = Placement::find(buffers), second = Placement::find(buffers);
  EXPECT_EQ(first.offsets, second.offsets);
  EXPECT_LE(double(first.bytes), 1.02 * double(Peak::of(buffers).bytes));
}

} // namespace
