// Which characters of a name reach a terminal.
#include "mpc/Support/Printable.h"

#include <gtest/gtest.h>

using namespace mpc;

TEST(Printable, NoControlCharacterIsLeft) {
  EXPECT_EQ(printable("layers.0/w"), "layers.0/w");
  EXPECT_EQ(printable(""), "");
  for (int c = 0; c < 128; ++c) {
    std::string name = {'a', static_cast<char>(c), 'b'};
    bool isControl = c < 32 || c == 127;
    EXPECT_EQ(printable(name), isControl ? "a?b" : name) << c;
  }
  // U+0080 to U+009f, which terminals obey as ESC and a letter.
  for (int c = 0x80; c < 0xc0; ++c) {
    std::string name = {'\xc2', static_cast<char>(c), 'b'};
    EXPECT_EQ(printable(name), c < 0xa0 ? "?b" : name) << c;
  }
}

TEST(Printable, OtherTextStays) {
  EXPECT_EQ(printable("\xc3\x84\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\xc3\x84\xe2\x82\xac\xf0\x9f\x98\x80");
}

// The ranges of RFC 3629, section 4.
TEST(Printable, WhatIsNoTextIsMarked) {
  EXPECT_EQ(printable("cut\xc2"), "cut?");
  EXPECT_EQ(printable("\x9b[31m"), "?[31m"); // C1 in eight bits
  EXPECT_EQ(printable("\xff\xfe z\x80"), "?? z?");
  EXPECT_EQ(printable("\xc0\xaf"), "??"); // longer than it need be
  EXPECT_EQ(printable("\xe0\x9f\xbf"), "???");
  EXPECT_EQ(printable("\xf0\x8f\xbf\xbf"), "????");
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");      // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????"); // beyond U+10ffff
  EXPECT_EQ(printable("\xe2\x82z"), "??z");         // cut
  for (const char *whole :
       {"\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(printable(whole), whole);
}

TEST(Printable, SomeMayStay) {
  EXPECT_EQ(printable("a\nb\tc\x1b", "\n"), "a\nb?c?");
}

TEST(Printable, InPlace) {
  char text[] = "a\xc2\x9b\x1bz|rest";
  EXPECT_EQ(replaceControls(text, 5), 4u);
  EXPECT_EQ(std::string_view(text, 4), "a??z");
  EXPECT_EQ(std::string_view(text + 5), "|rest");
}
