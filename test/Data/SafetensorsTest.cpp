// The format and its failures as in the reference reader's description.
#include "mpc/Data/Safetensors.h"

#include "TemporaryFolder.h"

#include <cstring>

using namespace mpc;
using namespace mpc::data;

namespace {

std::string withLength(uint64_t length, const std::string &rest) {
  return std::string(reinterpret_cast<const char *>(&length), 8) + rest;
}
std::string makeFile(const std::string &header, size_t dataBytes) {
  return withLength(header.size(), header + std::string(dataBytes, 'x'));
}
std::string tensor(const std::string &name, const std::string &dtype,
                   const std::string &shape, const std::string &offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape +
         "],\"data_offsets\":[" + offsets + "]}";
}

struct SafetensorsTest : TemporaryFolder {
  std::string message(const std::string &content) {
    Result<Safetensors> result = readSafetensors(put("a.safetensors", content));
    return result ? "accepted" : result.status().message();
  }
};

TEST_F(SafetensorsTest, ReadsSoundFiles) {
  std::string header = "{\"__metadata__\":{\"format\":\"pt\"}," +
                       tensor("b", "BF16", "2", "4,8") + "," +
                       tensor("a", "F32", "", "0,4") + "," +
                       tensor("e", "I64", "0,3", "8,8") + "," +
                       tensor("u", "U8", "1", "8,9") + "," +
                       tensor("q", "F4", "2", "9,10") + "}   ";
  Result<Safetensors> file = readSafetensors(put("a", makeFile(header, 10)));
  ASSERT_TRUE(file) << file.status().message();
  EXPECT_EQ(file->metadata.at("format"), "pt");
  EXPECT_EQ(*readSafetensorsMetadata(path("a")), file->metadata);
  ASSERT_EQ(file->tensors.size(), 5u);
  const StoredTensor &b = file->tensors.at("b");
  EXPECT_EQ(b.type, DType::BF16);
  EXPECT_EQ(b.shape, (Shape{2}));
  EXPECT_EQ(b.bytes.data(), file->buffer.data() + 4);
  EXPECT_EQ(b.bytes.size(), 4u);
  EXPECT_EQ(file->tensors.at("a").shape, Shape());
  EXPECT_EQ(file->tensors.at("e").bytes.size(), 0u);
  EXPECT_EQ(file->tensors.at("u").type, std::nullopt);
}

TEST_F(SafetensorsTest, MetadataOfABrokenFileAreNone) {
  std::string header =
      "{\"__metadata__\":{\"k\":\"v\"}," + tensor("a", "F32", "2", "0,8") + "}";
  std::string cut = put("a", makeFile(header, 7));
  EXPECT_EQ(readSafetensorsMetadata(cut).status().message(),
            readSafetensors(cut).status().message());
  EXPECT_EQ(readSafetensorsMetadata(path("none")).status().code(),
            StatusCode::NotFound);
}

TEST_F(SafetensorsTest, EmptyFileOfTensors) {
  EXPECT_EQ(message(makeFile("{}", 0)), "accepted");
  EXPECT_CONTAINS(message(makeFile("{}", 1)), "MetadataIncompleteBuffer");
}

TEST_F(SafetensorsTest, WritesTheDocumentedLayout) {
  float wide[2] = {1, 2};
  uint16_t narrow[1] = {0x3c00};
  auto bytes = [](auto &array) { return std::as_bytes(std::span(array)); };
  Status status = writeSafetensors(path("a"),
                                   {{"z", DType::F32, {2}, bytes(wide)},
                                    {"h", DType::F16, {1}, bytes(narrow)},
                                    {"a", DType::F32, {2, 1}, bytes(wide)}},
                                   {{"step", "7"}});
  ASSERT_TRUE(status.ok()) << status.message();
  std::string file = get("a");
  uint64_t length;
  std::memcpy(&length, file.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  std::string json = "{\"__metadata__\":{\"step\":\"7\"}," +
                     tensor("a", "F32", "2,1", "0,8") + "," +
                     tensor("z", "F32", "2", "8,16") + "," +
                     tensor("h", "F16", "1", "16,18") + "}";
  json.append((8 - json.size() % 8) % 8, ' ');
  EXPECT_EQ(file.substr(8, length), json);
  EXPECT_EQ(file.size(), 8 + length + 18);
  Result<Safetensors> again = readSafetensors(path("a"));
  ASSERT_TRUE(again);
  EXPECT_EQ(0, std::memcmp(again->tensors.at("z").bytes.data(), wide, 8));
  EXPECT_EQ(numFiles(), 1u);
}

/// Whoever writes the parts writes the file.
TEST_F(SafetensorsTest, LaysOutWhatItWrites) {
  float number = 1.5f;
  int32_t count = 7;
  auto bytes = [](auto &value) { return std::as_bytes(std::span(&value, 1)); };
  std::vector<TensorToStore> tensors = {{"n", DType::I32, {}, bytes(count)},
                                        {"x", DType::F32, {1}, bytes(number)}};
  Metadata metadata = {{"key", "value"}};
  ASSERT_TRUE(writeSafetensors(path("x"), tensors, metadata).ok());
  auto text = layOutSafetensors("x", tensors, metadata);
  ASSERT_TRUE(text) << text.status().message();
  for (const TensorToStore &tensor : tensors)
    text->append(reinterpret_cast<const char *>(tensor.bytes.data()),
                 tensor.bytes.size());
  EXPECT_EQ(*text, get("x"));
}

TEST_F(SafetensorsTest, RefusesTwoTensorsOfOneName) {
  float value[1] = {1};
  auto bytes = std::as_bytes(std::span(value));
  Status status = writeSafetensors(
      path("a"), {{"w", DType::F32, {1}, bytes}, {"w", DType::F32, {1}, bytes}},
      {});
  EXPECT_CONTAINS(status.message(), "two tensors are named 'w'");
  EXPECT_EQ(numFiles(), 0u);
}

/// What a reader would refuse, or find under another name, is not written.
TEST_F(SafetensorsTest, RefusesNamesThatNoReaderFinds) {
  float value[1] = {1};
  auto bytes = std::as_bytes(std::span(value));
  for (const std::string &name :
       {std::string("__metadata__"), std::string("\xff\xfe"),
        std::string("a\0b", 3), std::string("\xc0\xaf"),          // overlong
        std::string("\xe0\x80\xaf"), std::string("\xed\xa0\x80"), // surrogate
        std::string("\xf4\x90\x80\x80")}) { // beyond U+10FFFF
    Status status =
        writeSafetensors(path("a"), {{name, DType::F32, {1}, bytes}}, {});
    EXPECT_CONTAINS(status.message(), "expected a tensor name in UTF-8");
    EXPECT_EQ(numFiles(), 0u);
  }
  EXPECT_CONTAINS(writeSafetensors(path("a"), {}, {{"k", "\xc3"}}).message(),
                  "expected metadata in UTF-8");
}

/// Names of every kind come back as they were.
TEST_F(SafetensorsTest, NamesComeBack) {
  float value[1] = {1};
  auto bytes = std::as_bytes(std::span(value));
  std::vector<TensorToStore> tensors;
  std::string all[] = {
      "",         "a b",          "quote\"back\\slash", "tab\tline\n\x01",
      "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",   "{}[],:"};
  for (const std::string &name : all)
    tensors.push_back({name, DType::F32, {}, bytes});
  ASSERT_TRUE(writeSafetensors(path("a"), tensors, {{"k\"", "v\\"}}).ok());
  Result<Safetensors> file = readSafetensors(path("a"));
  ASSERT_TRUE(file) << file.status().message();
  for (const std::string &name : all)
    EXPECT_TRUE(file->tensors.contains(name)) << name;
  EXPECT_EQ(file->metadata.at("k\""), "v\\");
}

TEST_F(SafetensorsTest, Lengths) {
  EXPECT_CONTAINS(message("1234567"), "HeaderTooSmall");
  EXPECT_CONTAINS(message(withLength(100'000'001, "{}")), "HeaderTooLarge");
  EXPECT_CONTAINS(message(withLength(UINT64_MAX, "{}")), "HeaderTooLarge");
  EXPECT_CONTAINS(message(withLength(3, "{}")), "InvalidHeaderLength");
}

TEST_F(SafetensorsTest, Headers) {
  EXPECT_CONTAINS(message(makeFile("", 0)), "InvalidHeader: ");
  EXPECT_CONTAINS(message(makeFile(" {}", 0)), "begin with '{'");
  for (const std::string &header :
       {std::string("{\"\xff\":1}"),
        std::string("{\"\xc3"),
        "{" + tensor("\xed\xa0\x80", "F32", "1", "0,4") + "}",
        "{" + tensor("\xc0\xaf", "F32", "1", "0,4") + "}",
        std::string("{\"__metadata__\":null}"),
        std::string("{\"__metadata__\":[]}"),
        std::string("{\"a\":{}}"),
        std::string("{\"a\":[1]}"),
        std::string("{\"a\":{\"dtype\":\"F32\",\"shape\":[[1]],\"data_"
                    "offsets\":[0,4]}}"),
        std::string(
            "{\"a\":{\"dtype\":\"F32\",\"shape\":1,\"data_offsets\":[0,4]}}"),
        std::string("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":["
                    "0,4],\"b\":1}}"),
        std::string("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}"),
        std::string(
            "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4]}}"),
        std::string("{"),
        std::string("{}{}"),
        std::string("{\"a\":1}"),
        "{\"a\":" + std::string(100000, '[') + "}",
        "{" + tensor("a", "F32", "1", "0,4") + "," +
            tensor("a", "F32", "1", "0,4") + "}",
        std::string("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"shape\":[1],"
                    "\"data_offsets\":[0,4]}}"),
        "{" + tensor("a", "F33", "1", "0,4") + "}",
        "{" + tensor("a", "F32", "-1", "0,4") + "}",
        "{" + tensor("a", "F32", "1.0", "0,4") + "}",
        "{" + tensor("a", "F32", "99999999999999999999", "0,4") + "}",
        "{" + tensor("a", "F32", "1", "0,4,8") + "}",
        "{" + tensor("a", "F32", "1", "-4,0") + "}",
        std::string("{\"__metadata__\":{\"a\":1}}"),
        std::string("{\"__metadata__\":\"a\"}"),
        std::string("{\"__metadata__\":[\"a\"]}")})
    EXPECT_CONTAINS(message(makeFile(header, 4)),
                    "InvalidHeaderDeserialization");
}

TEST_F(SafetensorsTest, Offsets) {
  auto one = [&](const std::string &dtype, const std::string &shape,
                 const std::string &offsets, size_t bytes) {
    return message(
        makeFile("{" + tensor("a", dtype, shape, offsets) + "}", bytes));
  };
  EXPECT_CONTAINS(one("F32", "1", "4,8", 8), "InvalidOffset: tensor 'a'");
  EXPECT_CONTAINS(one("F32", "1", "0,8", 8), "TensorInvalidInfo");
  EXPECT_CONTAINS(one("F32", "2", "0,4", 4),
                  "expected 8 bytes for 2xF32, but got 4");
  EXPECT_CONTAINS(one("F32", "1", "0,4", 3), "MetadataIncompleteBuffer");
  EXPECT_CONTAINS(one("F32", "1", "0,4", 5),
                  "expected 4 bytes of data, but the file has 5");
  EXPECT_CONTAINS(one("F4", "3", "0,1", 1), "MisalignedSlice");
  EXPECT_CONTAINS(one("F64", "9000000000000000000", "0,8", 8),
                  "ValidationOverflow");
  std::string overlap = "{" + tensor("a", "F32", "1", "0,4") + "," +
                        tensor("b", "F32", "1", "2,6") + "}";
  EXPECT_CONTAINS(message(makeFile(overlap, 6)), "begin at byte 4, but got 2");
  std::string hole = "{" + tensor("a", "F32", "1", "0,4") + "," +
                     tensor("b", "F32", "1", "6,10") + "}";
  EXPECT_CONTAINS(message(makeFile(hole, 10)), "InvalidOffset: tensor 'b'");
  std::string same = "{" + tensor("a", "F32", "1", "0,4") + "," +
                     tensor("b", "F32", "1", "0,4") + "}";
  EXPECT_CONTAINS(message(makeFile(same, 4)), "InvalidOffset");
  std::string swapped = "{" + tensor("a", "U8", "0", "0,0") + "," +
                        tensor("b", "U8", "1", "0,1") + "}";
  EXPECT_EQ(message(makeFile(swapped, 1)), "accepted");
}

TEST_F(SafetensorsTest, ChangedBytesNeverCrash) {
  std::string good = makeFile("{\"__metadata__\":{\"k\":\"v\"}," +
                                  tensor("a", "F32", "1,2", "0,8") + "}",
                              8);
  ASSERT_EQ(message(good), "accepted");
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(message(good.substr(0, length)), "accepted") << length;
  for (size_t at = 0; at < good.size() - 8; ++at)
    for (int flip : {0x01, 0x18, 0x80}) {
      std::string changed = good;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      (void)message(changed);
    }
}

} // namespace
