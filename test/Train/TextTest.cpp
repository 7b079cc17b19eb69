// How text is sampled: the choice of tokens, and bytes that become characters.
#include "Train/Failure.h"
#include "Train/Forward/TokenSampler.h"
#include "Train/Forward/Utf8Stream.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mpc::train;

using Logits = std::vector<double>;

/// How often each of the tokens comes in 20,000 draws.
static std::vector<double> shares(TokenSampler sampler, const Logits &logits) {
  constexpr int kDraws = 20000;
  std::vector<double> result(logits.size());
  for (int i = 0; i < kDraws; ++i)
    result[sampler.choose(logits)] += 1.0 / kDraws;
  return result;
}

/// Five standard deviations of the binomial distribution with 20,000 draws.
static void expectShares(const std::vector<double> &found,
                         const std::vector<double> &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i],
                5 * std::sqrt(expected[i] * (1 - expected[i]) / 20000))
        << "token " << i;
}

TEST(TokenSamplerTest, DrawsFromTheSoftmax) {
  Logits logits = {std::log(1), std::log(2), -INFINITY, std::log(5)};
  expectShares(shares({1, {}, 1}, logits), {1 / 8.0, 2 / 8.0, 0, 5 / 8.0});
  // exp(log(p) / 0.5) = p^2
  expectShares(shares({0.5, {}, 2}, logits),
               {1 / 30.0, 4 / 30.0, 0, 25 / 30.0});
  expectShares(shares({1, 2, 3}, logits), {0, 2 / 7.0, 0, 5 / 7.0});
  expectShares(shares({1, 9, 4}, logits), {1 / 8.0, 2 / 8.0, 0, 5 / 8.0});
}

TEST(TokenSamplerTest, TakesTheFirstOfEquals) {
  TokenSampler likeliest(0, {}, 0), one(1, 1, 0);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(likeliest.choose(Logits{1, 3, 3, 2}), 1u);
    EXPECT_EQ(one.choose(Logits{1, 3, 3, 2}), 1u);
  }
}

TEST(TokenSamplerTest, IsAFunctionOfItsSeed) {
  Logits logits(50);
  TokenSampler a(1, {}, 7), b(1, {}, 7), c(1, {}, 8);
  int differ = 0;
  for (int i = 0; i < 100; ++i) {
    uint64_t token = a.choose(logits);
    EXPECT_EQ(token, b.choose(logits));
    differ += token != c.choose(logits);
  }
  EXPECT_GT(differ, 80);
}

TEST(TokenSamplerTest, LargeLogitsDoNotOverflow) {
  TokenSampler sampler(1e-3, {}, 0);
  EXPECT_EQ(sampler.choose(Logits{-1e30, 1e30, 0}), 1u);
}

TEST(TokenSamplerTest, RefusesWhatIsNoDistribution) {
  TokenSampler sampler(1, {}, 0);
  EXPECT_THROW(sampler.choose(Logits{0, NAN}), Failure);
  EXPECT_THROW(sampler.choose(Logits{0, INFINITY}), Failure);
  EXPECT_THROW(sampler.choose(Logits{-INFINITY, -INFINITY}), Failure);
}

TEST(Utf8StreamTest, HoldsBackHalfACharacter) {
  Utf8Stream stream;
  EXPECT_EQ(stream.add("a\xc3"), "a");
  EXPECT_EQ(stream.add("\xa9"), "\xc3\xa9");
  EXPECT_EQ(stream.add("\xf0\x9f"), "");
  EXPECT_EQ(stream.add("\x98"), "");
  EXPECT_EQ(stream.add("\x80z"), "\xf0\x9f\x98\x80z");
  EXPECT_EQ(stream.finish(), "");
}

/// U+FFFD.
static const std::string kBad = "\xef\xbf\xbd";

TEST(Utf8StreamTest, ReplacesWhatIsNoCharacter) {
  // The example of the Unicode standard, table 3-8: maximal subparts.
  Utf8Stream stream;
  EXPECT_EQ(stream.add("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41"),
            kBad + kBad + kBad + kBad + kBad + kBad + kBad + kBad + "A");
  EXPECT_EQ(stream.add("\xed\xa0\x80\x41"), kBad + kBad + kBad + "A");
  EXPECT_EQ(stream.add("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42"),
            kBad + kBad + kBad + kBad + kBad + "A" + kBad + kBad + "B");
  EXPECT_EQ(stream.add("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"),
            kBad + kBad + kBad + kBad + "A");
}

TEST(Utf8StreamTest, EndsWithWhatIsLeft) {
  Utf8Stream stream;
  EXPECT_EQ(stream.add("a\xf0\x9f\x98"), "a");
  EXPECT_EQ(stream.finish(), kBad);
  EXPECT_EQ(stream.finish(), "");
}
