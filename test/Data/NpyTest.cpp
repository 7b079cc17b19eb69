// The bytes of the first file are those that numpy.save wrote.
#include "mpc/Data/Npy.h"

#include "TemporaryFolder.h"

#include <cstring>

using namespace mpc;
using namespace mpc::data;

namespace {

std::string makeNpy(const std::string &header, const std::string &values,
                    const std::string &version = std::string("\x01\x00", 2)) {
  std::string file = "\x93NUMPY" + version;
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  if (version[0] != 1)
    file += std::string(2, '\0');
  return file + header + values;
}

std::string dict(const std::string &descr, const std::string &shape,
                 const std::string &order = "False") {
  return "{'descr': " + descr + ", 'fortran_order': " + order +
         ", 'shape': " + shape + ", }\n";
}

struct NpyTest : TemporaryFolder {
  std::string message(const std::string &content) {
    Result<Tensor> result = readNpy(put("a.npy", content));
    return result ? "accepted" : result.status().message();
  }
};

const std::string kNumPys =
    std::string("\x93NUMPY\x01\x00v\x00", 10) +
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" +
    std::string(58, ' ') + "\n" +
    std::string("\x00\x00\x80?\x00\x00\x00@\x00\x00@@\x00\x00\x80@\x00\x00\xa0@"
                "\x00\x00\xd0@",
                24);

TEST_F(NpyTest, ReadsAndWritesNumPysBytes) {
  Result<Tensor> tensor = readNpy(put("a.npy", kNumPys));
  ASSERT_TRUE(tensor) << tensor.status().message();
  EXPECT_EQ(tensor->format.name(), "f32");
  EXPECT_EQ(tensor->shape, (Shape{2, 3}));
  float values[6];
  ASSERT_EQ(tensor->bytes.size(), sizeof(values));
  std::memcpy(values, tensor->bytes.data(), sizeof(values));
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(values[i], i < 5 ? i + 1.0f : 6.5f);
  ASSERT_TRUE(writeNpy(path("b.npy"), *tensor).ok());
  EXPECT_EQ(get("b.npy"), kNumPys);
}

TEST_F(NpyTest, ReadsEveryVersionAndRank) {
  for (const char *version : {"\x01", "\x02", "\x03"}) {
    std::string two = std::string(version) + std::string(1, '\0');
    EXPECT_EQ(message(makeNpy(dict("'<i4'", "(1,)"), "abcd", two)), "accepted");
    EXPECT_EQ(message(makeNpy(dict("'|u1'", "()"), "a", two)), "accepted");
    EXPECT_EQ(message(makeNpy(dict("'|b1'", "(0, 3)"), "", two)), "accepted");
  }
  Result<Tensor> bf16 =
      readNpy(put("b.npy", makeNpy(dict("'|V2'", "(1,)"), "ab")));
  ASSERT_TRUE(bf16);
  EXPECT_EQ(bf16->format.name(), "bf16");
}

TEST_F(NpyTest, WritesBFloatAsFloat) {
  Tensor tensor{{ElementFormat::BFloat, 2}, {1}, Bytes(2)};
  tensor.bytes[1] = std::byte(0x40); // 2.0
  ASSERT_TRUE(writeNpy(path("a.npy"), tensor).ok());
  EXPECT_CONTAINS(get("a.npy"), "'<f4'");
  EXPECT_CONTAINS(get("a.npy"), "(1,)");
  EXPECT_TRUE(get("a.npy").ends_with(std::string("\0\0\0\x40", 4)));
}

TEST_F(NpyTest, RefusesOtherLayouts) {
  EXPECT_CONTAINS(message(makeNpy(dict("'>f4'", "(1,)"), "abcd")),
                  "expected little-endian values, but got '>f4'; save it with "
                  ".astype('<f4')");
  EXPECT_CONTAINS(
      message(makeNpy(dict("'<f4'", "(2, 2)", "True"), std::string(16, 'a'))),
      "expected C order, but got Fortran order");
  EXPECT_EQ(message(makeNpy(dict("'<f4'", "(2,)", "True"), "abcdefgh")),
            "accepted"); // a vector has but one order
  for (const char *descr :
       {"'<c8'", "'|O'", "'<U3'", "'<f3'", "'|S1'", "[('a', '<f4')]"})
    EXPECT_CONTAINS(message(makeNpy(dict(descr, "(1,)"), "abcd")),
                    "expected numbers, but got elements of type");
  EXPECT_CONTAINS(
      message(makeNpy(dict("'<f4'", "()"), "", std::string("\x04\0", 2))),
      "expected npy version 1.0, 2.0 or 3.0, but got 4.0");
}

TEST_F(NpyTest, SizesAreCheckedBeforeMemoryIsTaken) {
  EXPECT_CONTAINS(message(makeNpy(dict("'<f4'", "(3,)"), "abcd")),
                  "expected 12 bytes for 3xf32, but got 4");
  EXPECT_CONTAINS(message(makeNpy(dict("'<f4'", "(1,)"), "abcdefgh")),
                  "expected 4 bytes for 1xf32, but got 8");
  EXPECT_CONTAINS(
      message(makeNpy(dict("'<f4'", "(9000000000000000000,)"), "abcd")),
      "more elements than can be counted");
  EXPECT_CONTAINS(
      message(makeNpy(dict("'<f8'", "(1000000000000000,)"), "abcd")),
      "expected 8000000000000000 bytes");
  EXPECT_CONTAINS(
      message(
          makeNpy(dict("'<f4'", "(4000000000, 4000000000, 4000000000)"), "")),
      "more elements than can be counted");
}

TEST_F(NpyTest, EveryPrefixOfAFileIsRefused) {
  for (size_t length = 0; length < kNumPys.size(); ++length)
    EXPECT_NE(message(kNumPys.substr(0, length)), "accepted") << length;
  EXPECT_CONTAINS(message("hello, world"), "does not begin with \\x93NUMPY");
  EXPECT_CONTAINS(message(""), "it has only 0 bytes");
  EXPECT_CONTAINS(message(std::string("\x93NUMPY\x01\x00\xff\xff{", 11)),
                  "header of 65535 bytes is longer than the file of 11");
}

TEST_F(NpyTest, MalformedHeadersAreRefused) {
  for (const char *header :
       {"", "{", "}", "{}", "{'descr': '<f4'}", "{'descr': '<f4', ",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 'y'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(99999999999999999999,)}",
        "{'descr': [('a'"})
    EXPECT_CONTAINS(message(makeNpy(header, "abcd")), "malformed npy header");
}

TEST_F(NpyTest, ChangedBytesNeverCrash) {
  for (size_t at = 0; at < kNumPys.size(); ++at)
    for (int flip : {0x01, 0x18, 0x80}) {
      std::string changed = kNumPys;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      (void)message(changed);
    }
}

} // namespace
