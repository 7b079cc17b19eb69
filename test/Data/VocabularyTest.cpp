#include "mpc/Data/Vocabulary.h"

#include "TemporaryFolder.h"

using namespace mpc;
using namespace mpc::data;

namespace {

using Tokens = std::vector<int64_t>;

Vocabulary parse(std::string_view text) {
  Result<Vocabulary> result = Vocabulary::parse(text, "v.json");
  EXPECT_TRUE(result) << result.status().message();
  return result ? std::move(*result) : Vocabulary();
}
std::string message(std::string_view text) {
  Result<Vocabulary> result = Vocabulary::parse(text, "v.json");
  return result ? "accepted" : result.status().message();
}

TEST(VocabularyTest, PlacesAreTokens) {
  Vocabulary vocabulary = parse(R"(["\n", "a", "é", 195, 169, ""])");
  EXPECT_EQ(vocabulary.size(), 6u);
  EXPECT_EQ(vocabulary.piece(0), "\n");
  EXPECT_EQ(vocabulary.piece(2), "\xc3\xa9");
  EXPECT_EQ(vocabulary.piece(3), "\xc3");
  EXPECT_EQ(vocabulary.piece(5), "");
}

TEST(VocabularyTest, TheLongestPieceThatFitsIsTaken) {
  Vocabulary vocabulary = parse(R"(["a", "ab", "abcd", "b", "c", ""])");
  Result<Tokens> tokens = vocabulary.encode("abcabcdab");
  ASSERT_TRUE(tokens) << tokens.status().message();
  EXPECT_EQ(*tokens, (Tokens{1, 4, 2, 1}));
  EXPECT_TRUE(vocabulary.encode("")->empty());
}

TEST(VocabularyTest, BytesSpellWhatNoStringDoes) {
  Vocabulary vocabulary = parse(R"(["a", 195, 169])");
  Result<Tokens> tokens = vocabulary.encode("a\xc3\xa9");
  ASSERT_TRUE(tokens) << tokens.status().message();
  EXPECT_EQ(*tokens, (Tokens{0, 1, 2}));
}

TEST(VocabularyTest, TextWithoutATokenIsAnError) {
  Vocabulary vocabulary = parse(R"(["a"])");
  EXPECT_EQ(vocabulary.encode("aa\xc3\xb6").status().message(),
            "'v.json': has no token for '\xc3\xb6' at byte 2 of the text");
  EXPECT_EQ(vocabulary.encode("a\n").status().message(),
            "'v.json': has no token for '\\n' at byte 1 of the text");
  EXPECT_EQ(vocabulary.encode("\xff").status().message(),
            "'v.json': has no token for byte 0xff at byte 0 of the text");
}

TEST(VocabularyTest, OtherFilesAreErrors) {
  EXPECT_CONTAINS(message(R"({"a": 0})"), "but it is no list");
  EXPECT_CONTAINS(message(R"("a")"), "but it is no list");
  EXPECT_CONTAINS(message(R"(["a", ["b"]])"), "token 1 is neither a string");
  EXPECT_CONTAINS(message(R"(["a", 256])"), "a number below 256");
  EXPECT_CONTAINS(message(R"([-1])"), "a number below 256");
  EXPECT_CONTAINS(message(R"([0.5])"), "a number below 256");
  EXPECT_CONTAINS(message(R"([null])"), "a number below 256");
  EXPECT_CONTAINS(message(R"(["a")"), "it is not JSON in UTF-8 at byte");
  EXPECT_CONTAINS(message("[\"\xc3\"]"), "it is not JSON in UTF-8 at byte");
  EXPECT_CONTAINS(message(""), "it is not JSON in UTF-8 at byte");
  EXPECT_CONTAINS(message(std::string(100000, '[')), "token 0 is neither");
  EXPECT_CONTAINS(message(R"(["a", "b", 97])"), "0 and 2 both are 'a'");
}

struct VocabularyFileTest : TemporaryFolder {};

TEST_F(VocabularyFileTest, IsRead) {
  Result<Vocabulary> result = Vocabulary::load(put("v.json", R"(["x"])"));
  ASSERT_TRUE(result) << result.status().message();
  EXPECT_EQ(result->piece(0), "x");
  EXPECT_CONTAINS(Vocabulary::load(path("none")).status().message(), "none");
}

} // namespace
