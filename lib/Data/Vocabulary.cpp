#include "mpc/Data/Vocabulary.h"

#include "mpc/Data/File.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::data;
using nlohmann::json;

namespace {

/// Takes what the parser finds, event by event, as the reader of safetensors
/// does.
class ListReader : public nlohmann::json_sax<json> {
public:
  std::vector<std::string> pieces;
  std::string mistake; ///< The first; the parser stops there.

  bool start_array(size_t) override {
    if (isOpen)
      return refuse();
    return isOpen = true;
  }
  bool end_array() override { return true; }
  bool string(std::string &text) override {
    if (!isOpen)
      return refuse();
    pieces.push_back(std::move(text));
    return true;
  }
  bool number_unsigned(uint64_t number) override {
    if (!isOpen || number > 255)
      return refuse();
    pieces.emplace_back(1, static_cast<char>(number));
    return true;
  }
  bool start_object(size_t) override { return refuse(); }
  bool key(std::string &) override { return refuse(); }
  bool end_object() override { return refuse(); }
  bool null() override { return refuse(); }
  bool boolean(bool) override { return refuse(); }
  bool number_integer(int64_t) override { return refuse(); }
  bool number_float(double, const std::string &) override { return refuse(); }
  bool binary(json::binary_t &) override { return refuse(); }
  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    mistake = "it is not JSON in UTF-8 at byte " + std::to_string(position);
    return false;
  }

private:
  bool refuse() {
    mistake = isOpen ? "token " + std::to_string(pieces.size()) +
                           " is neither a string nor a number below 256"
                     : "it is no list";
    return false;
  }
  bool isOpen = false;
};

} // namespace

/// As messages have it: "'a'", "'\n'", "byte 0xc3".
static std::string quote(std::string_view text) {
  try {
    std::string quoted = json(text).dump();
    return "'" + quoted.substr(1, quoted.size() - 2) + "'";
  } catch (const json::type_error &) { // no UTF-8
    char hex[16];
    std::snprintf(hex, sizeof(hex), "byte 0x%02x",
                  static_cast<unsigned char>(text.front()));
    return hex;
  }
}

Result<Vocabulary> Vocabulary::load(const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file)
    return file.status();
  Result<Bytes> bytes = file->read(file->size());
  if (!bytes)
    return bytes.status();
  return parse({reinterpret_cast<const char *>(bytes->data()), bytes->size()},
               path);
}

Result<Vocabulary> Vocabulary::parse(std::string_view text,
                                     const std::string &path) {
  ListReader reader;
  if (!json::sax_parse(text.begin(), text.end(), &reader))
    return Status(StatusCode::Corrupt,
                  "'" + path +
                      "': expected a vocabulary, a JSON list of strings, or of "
                      "numbers below 256 for bytes, but " +
                      reader.mistake);
  Vocabulary result;
  result.path = path;
  result.pieces = std::move(reader.pieces);
  for (size_t token = 0; token < result.pieces.size(); ++token) {
    const std::string &piece = result.pieces[token];
    auto [place, isNew] =
        result.tokens.emplace(piece, static_cast<int64_t>(token));
    if (!isNew)
      return Status(StatusCode::Corrupt,
                    "'" + path + "': expected each token to be another, but " +
                        std::to_string(place->second) + " and " +
                        std::to_string(token) + " both are " + quote(piece));
    result.longest = std::max(result.longest, piece.size());
  }
  return result;
}

/// The character at the begin of `text`, or what there is of it.
static std::string_view firstCharacter(std::string_view text) {
  size_t size = 1;
  while (size < text.size() && size < 4 &&
         (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80)
    ++size;
  return text.substr(0, size);
}

Result<std::vector<int64_t>> Vocabulary::encode(std::string_view text) const {
  std::vector<int64_t> result;
  for (size_t at = 0; at < text.size();) {
    size_t size = std::min(longest, text.size() - at);
    auto found = tokens.end();
    for (; size > 0 && found == tokens.end(); --size)
      found = tokens.find(text.substr(at, size));
    if (found == tokens.end())
      return Status(StatusCode::InvalidArgument,
                    "'" + path + "': has no token for " +
                        quote(firstCharacter(text.substr(at))) + " at byte " +
                        std::to_string(at) + " of the text");
    result.push_back(found->second);
    at += found->first.size();
  }
  return result;
}
