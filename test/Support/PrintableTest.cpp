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
  EXPECT_EQ(printable("cut\xc2"), "cut\xc2"); // no UTF-8, and no control
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
