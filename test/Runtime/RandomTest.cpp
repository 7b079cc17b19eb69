// The generator against the known answers of Random123 (kat_vectors), normal
// numbers against the formula in long double, distributions against theirs, and
// the kernels against each other.
#include "mpc/Runtime/Random.h"
#include "../../lib/Runtime/Session/Random/RandomKernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

using namespace mpc::runtime;

using Numbers = std::vector<double>;

/// Those that this processor runs.
static std::vector<const RandomKernels *> allKernels() {
  std::vector<const RandomKernels *> all = {&kBaselineRandom};
  if (__builtin_cpu_supports("avx2"))
    all.push_back(&kAvx2Random);
  return all;
}

static Numbers uniform(const RandomStream &stream, uint64_t first,
                       size_t count) {
  Numbers numbers(count);
  stream.uniform(first, numbers);
  return numbers;
}
static Numbers normal(const RandomStream &stream, uint64_t first,
                      size_t count) {
  Numbers numbers(count);
  stream.normal(first, numbers);
  return numbers;
}

TEST(Philox, KnownAnswers) {
  struct Case {
    std::array<uint32_t, 4> counter;
    uint32_t key[2];
    std::array<uint32_t, 4> words;
  };
  const Case cases[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  auto join = [](uint32_t high, uint32_t low) {
    return static_cast<double>((uint64_t(high) << 32 | low) >> 11) * 0x1p-53;
  };
  for (const RandomKernels *kernels : allKernels())
    for (const auto &[counter, key, words] : cases) {
      StreamKey stream = {{key[0], key[1]},
                          uint64_t(counter[3]) << 32 | counter[2]};
      uint64_t block = uint64_t(counter[1]) << 32 | counter[0];
      double group[kGroup];
      kernels->uniform(stream, block / (kGroup / 2), 1, group);
      uint64_t at = block % (kGroup / 2) * 2;
      EXPECT_EQ(group[at], join(words[0], words[1]));
      EXPECT_EQ(group[at + 1], join(words[2], words[3]));
    }
}

static constexpr size_t kCount = 1000000;

TEST(RandomStream, UniformMoments) {
  RandomStream stream(7, "w");
  double sum = 0, squares = 0, least = 1, most = 0;
  for (double x : uniform(stream, 0, kCount)) {
    sum += x;
    squares += x * x;
    least = std::min(least, x);
    most = std::max(most, x);
  }
  double n = kCount, mean = sum / n;
  EXPECT_NEAR(mean, 0.5, 5 / std::sqrt(12 * n));
  EXPECT_NEAR(squares / n - mean * mean, 1.0 / 12, 1e-3);
  EXPECT_GE(least, 0);
  EXPECT_LT(most, 1);
  EXPECT_LT(least, 1e-5);
  EXPECT_GT(most, 1 - 1e-5);
}

TEST(RandomStream, NormalMoments) {
  double moments[5] = {};
  for (double x : normal(RandomStream(7, "w"), 0, kCount))
    for (int p = 1; p <= 4; ++p)
      moments[p] += std::pow(x, p);
  double n = kCount; // each bound is about five standard errors
  EXPECT_NEAR(moments[1] / n, 0, 0.005);
  EXPECT_NEAR(moments[2] / n, 1, 0.008);
  EXPECT_NEAR(moments[3] / n, 0, 0.02);
  EXPECT_NEAR(moments[4] / n, 3, 0.05);
}

/// P(X <= x).
static double normalCdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

/// The largest distance of the distribution of `numbers` from `cdf`, by its
/// scale (Kolmogorov-Smirnov): above 1.95 once in a thousand times.
template <typename Cdf> double distanceFrom(Cdf cdf, Numbers numbers) {
  std::ranges::sort(numbers);
  double n = static_cast<double>(numbers.size()), most = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    double expected = cdf(numbers[i]), below = static_cast<double>(i) / n;
    most = std::max({most, expected - below, below + 1 / n - expected});
  }
  return most * std::sqrt(n);
}

TEST(RandomStream, Distributions) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    RandomStream stream(seed, "layers.0.weight");
    EXPECT_LT(distanceFrom(normalCdf, normal(stream, 0, kCount)), 1.95);
    EXPECT_LT(
        distanceFrom([](double x) { return x; }, uniform(stream, 0, kCount)),
        1.95);
  }
}

TEST(RandomStream, NormalTails) {
  constexpr size_t count = 4 * kCount;
  Numbers numbers = normal(RandomStream(11, "w"), 0, count);
  for (double bound : {1.0, 2.0, 3.0, 4.0, 4.5}) {
    double expected = count * normalCdf(-bound);
    double error = 5 * std::sqrt(expected);
    EXPECT_NEAR(
        std::ranges::count_if(numbers, [&](double x) { return x > bound; }),
        expected, error);
    EXPECT_NEAR(
        std::ranges::count_if(numbers, [&](double x) { return x < -bound; }),
        expected, error);
  }
}

/// sqrt(-2 ln u) (cos 2 pi v, sin 2 pi v), of the uniform pair.
TEST(RandomStream, NormalIsBoxMuller) {
  RandomStream stream(5, "w");
  Numbers pairs = uniform(stream, 0, kCount), found = normal(stream, 0, kCount);
  long double worst = 0;
  for (size_t i = 0; i < kCount; i += 2) {
    auto u = static_cast<long double>(pairs[i] + 0x1p-53);
    long double angle = 2 * std::numbers::pi_v<long double> * pairs[i + 1];
    long double radius = std::sqrt(-2 * std::log(u));
    for (size_t j : {i, i + 1}) {
      long double expected =
          radius * (j == i ? std::cos(angle) : std::sin(angle));
      // The angle itself has an error of 2^-61: zeros lie that far off.
      worst = std::max(worst, std::abs(found[j] - expected) /
                                  (std::abs(expected) + radius * 0x1p-8L));
    }
  }
  EXPECT_LT(worst, 4 * 0x1p-53L);
}

TEST(RandomStream, SameBitsOfAllKernelsAndPieces) {
  RandomStream stream(9, "w");
  Numbers whole = normal(stream, 0, 1600), equal = uniform(stream, 0, 1600);
  StreamKey key = {{9, 0}, 0xaf63ea4c86020456}; // FNV-1a of "w"
  auto bits = [](const Numbers &numbers) {
    std::vector<uint64_t> list;
    for (double x : numbers)
      list.push_back(std::bit_cast<uint64_t>(x));
    return list;
  };
  for (const RandomKernels *kernels : allKernels()) {
    Numbers made(1600);
    kernels->normal(key, 0, 1600 / kGroup, made.data());
    EXPECT_EQ(bits(made), bits(whole));
    kernels->uniform(key, 0, 1600 / kGroup, made.data());
    EXPECT_EQ(bits(made), bits(equal));
  }
  for (size_t first : {0, 1, 15, 16, 17, 500, 1593, 1599})
    for (size_t count : {0, 1, 2, 15, 16, 31, 100}) {
      count = std::min(count, 1600 - first);
      EXPECT_EQ(normal(stream, first, count),
                Numbers(whole.begin() + static_cast<ptrdiff_t>(first),
                        whole.begin() + static_cast<ptrdiff_t>(first + count)));
    }
}

TEST(RandomStream, NamesAndSeedsDiffer) {
  auto first = [](uint64_t seed, const char *name) {
    return uniform(RandomStream(seed, name), 0, 1)[0];
  };
  EXPECT_EQ(first(1, "w"), first(1, "w"));
  EXPECT_NE(first(1, "w"), first(2, "w"));
  EXPECT_NE(first(1, "w"), first(1, "b"));
  EXPECT_NE(first(1, "w"), first(uint64_t(1) << 32 | 1, "w"));
}

TEST(RandomStream, NeighboursAreUncorrelated) {
  Numbers numbers = normal(RandomStream(3, "x"), 0, kCount);
  for (size_t distance : {1, 2, 3, 4, 8}) {
    double sum = 0;
    for (size_t i = distance; i < kCount; ++i)
      sum += numbers[i] * numbers[i - distance];
    EXPECT_NEAR(sum / kCount, 0, 0.005);
  }
}
