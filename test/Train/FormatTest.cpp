// Numbers as a user reads them.
#include "mpc/Train/Format.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mpc::train;

/// The C library prints "-nan" for what most operations make of inf and NaN.
TEST(Format, ALossIsNanWhateverItsSign) {
  double nan = std::nan("");
  EXPECT_EQ(formatLoss(nan), "nan");
  EXPECT_EQ(formatLoss(std::copysign(nan, -1.0)), "nan");
  EXPECT_EQ(formatLoss(INFINITY), "inf");
  EXPECT_EQ(formatLoss(-INFINITY), "-inf");
}

TEST(Format, ARateHasDigitsThatSaySomething) {
  EXPECT_EQ(formatRate(0), "0");
  EXPECT_EQ(formatRate(0.1333), "0.13");
  EXPECT_EQ(formatRate(7.25), "7.2");
  EXPECT_EQ(formatRate(12.4), "12");
  EXPECT_EQ(formatRate(987), "987");
  EXPECT_EQ(formatRate(12345), "12.3k");
  EXPECT_EQ(formatRate(1.2e6), "1.20M");
}

TEST(Format, ALossHasDigitsThatSaySomething) {
  EXPECT_EQ(formatLoss(0), "0.0000");
  EXPECT_EQ(formatLoss(0.25), "0.2500");
  EXPECT_EQ(formatLoss(0.25, 6), "0.250000");
  EXPECT_EQ(formatLoss(1.5e30), "1.5e+30");
  EXPECT_EQ(formatLoss(-1.5e-4), "-0.00015");
}

TEST(Format, NamesMoveNoCursor) {
  EXPECT_EQ(printable("layers.0/w"), "layers.0/w");
  EXPECT_EQ(printable("a\x1b[31mred\n\x7f"), "a?[31mred??");
  EXPECT_EQ(printable("\xc3\xa4\xc2\xa0\xc2\x9bJ\xc2"), "\xc3\xa4\xc2\xa0?J?");
}

TEST(Format, SmallNumbersKeepTheirDigits) {
  EXPECT_EQ(formatSmall(12.3456), "   12.346");
  EXPECT_EQ(formatSmall(0.25), "    0.250");
  EXPECT_EQ(formatSmall(0.000352), " 0.000352");
  EXPECT_EQ(formatSmall(0), "    0.000");
}
