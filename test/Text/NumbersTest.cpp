// Numbers of tables and options. Expected values are arithmetic.
#include "mpc/Text/Numbers.h"
#include "llvm/ADT/StringRef.h"
#include <gtest/gtest.h>

using namespace mpc;

TEST(Numbers, HaveCommas) {
  EXPECT_EQ(withCommas(0), "0");
  EXPECT_EQ(withCommas(999), "999");
  EXPECT_EQ(withCommas(1000), "1,000");
  EXPECT_EQ(withCommas(1234567), "1,234,567");
  EXPECT_EQ(withCommas(-999), "-999");
  EXPECT_EQ(withCommas(-123456), "-123,456");
  EXPECT_EQ(withCommas(INT64_MAX), "9,223,372,036,854,775,807");
}

TEST(Numbers, OfBytesAreWhole) {
  EXPECT_EQ(parseBytes("1"), 1);
  EXPECT_EQ(parseBytes("4000000"), 4000000);
  EXPECT_EQ(parseBytes("64KiB"), 65536);
  EXPECT_EQ(parseBytes("512MiB"), 536870912);
  EXPECT_EQ(parseBytes("1.5GiB"), 1610612736);
  EXPECT_EQ(parseBytes("0.1KiB"), 102);
  EXPECT_EQ(parseBytes("1.9"), 1);
  EXPECT_EQ(parseBytes("4611686018427387904"), int64_t(1) << 62);
}

TEST(Numbers, OfBytesAreRefused) {
  for (StringRef text : {"",
                         ".",
                         "0",
                         "-1",
                         "+1",
                         "1e3",
                         "0x10",
                         "1..2",
                         "1.2.3",
                         "KiB",
                         "12mb",
                         "1 KiB",
                         "0.5",
                         "5MiBKiB",
                         "5KiBKiB",
                         "5GiBMiB",
                         "nan",
                         "inf",
                         "9223372036854775808",
                         "4294967297GiB"})
    EXPECT_EQ(parseBytes(text), std::nullopt) << text.str();
}
