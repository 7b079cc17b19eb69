// Numbers are read whole or not at all. Expected values are those that C++
// reads in a literal of the same spelling.
#include "mpc/Support/Number.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

using namespace mpc;

TEST(Number, ReadsDecimals) {
  EXPECT_EQ(parseNumber<double>("0.001"), 0.001);
  EXPECT_EQ(parseNumber<double>("1e-3"), 1e-3);
  EXPECT_EQ(parseNumber<double>("1E5"), 1E5);
  EXPECT_EQ(parseNumber<double>("-2.5e+3"), -2.5e+3);
  EXPECT_EQ(parseNumber<double>(".5"), .5);
  EXPECT_EQ(parseNumber<double>("3"), 3.);
  EXPECT_EQ(parseNumber<double>("1.7976931348623157e308"),
            1.7976931348623157e308);
  EXPECT_EQ(parseNumber<uint64_t>("18446744073709551615"),
            18446744073709551615u);
  EXPECT_EQ(parseNumber<int64_t>("-100"), -100);
}

TEST(Number, RefusesWhatIsNotWhole) {
  for (std::string text :
       {"", " ", "1e", "1e-", "1 ", " 1", "+1", "0x10", "0x1p-3", "1x", "1,5",
        "inf", "-inf", "nan", "infinity", "1e999", "--1", "1e1e1", "1.5.2"})
    EXPECT_EQ(parseNumber<double>(text), std::nullopt) << text;
  EXPECT_EQ(parseNumber<double>(std::string("1\0", 2)), std::nullopt);
  for (std::string text :
       {"", "1.0", "1e3", "0x10", "-1", "+1", "1 ", "18446744073709551616"})
    EXPECT_EQ(parseNumber<uint64_t>(text), std::nullopt) << text;
  EXPECT_EQ(parseNumber<int64_t>("9223372036854775808"), std::nullopt);
}
