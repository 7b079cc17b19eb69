#include "Utf8Stream.h"

using namespace mpc::train;

static constexpr std::string_view kReplacement = "\xef\xbf\xbd";

namespace {

/// What stands at the begin of some bytes.
struct Part {
  enum Kind { Character, Begin, Wrong } kind;
  size_t size;
};

/// Which second bytes a first byte allows: no overlong forms, no surrogates,
/// nothing above U+10FFFF (table 3-7 of the Unicode standard).
struct Lead {
  size_t size; ///< Of the character; 0: no character begins so.
  unsigned char low = 0x80, high = 0xbf;
};

} // namespace

static Lead classify(unsigned char first) {
  if (first < 0x80)
    return {1};
  if (first >= 0xc2 && first <= 0xdf)
    return {2};
  if (first >= 0xe0 && first <= 0xef)
    return {3, static_cast<unsigned char>(first == 0xe0 ? 0xa0 : 0x80),
            static_cast<unsigned char>(first == 0xed ? 0x9f : 0xbf)};
  if (first >= 0xf0 && first <= 0xf4)
    return {4, static_cast<unsigned char>(first == 0xf0 ? 0x90 : 0x80),
            static_cast<unsigned char>(first == 0xf4 ? 0x8f : 0xbf)};
  return {0};
}

static Part findPart(std::string_view bytes) {
  Lead lead = classify(static_cast<unsigned char>(bytes.front()));
  if (lead.size == 0)
    return {Part::Wrong, 1};
  for (size_t i = 1; i < lead.size; ++i) {
    if (i == bytes.size())
      return {Part::Begin, i};
    auto byte = static_cast<unsigned char>(bytes[i]);
    bool isSecond = i == 1;
    if (byte < (isSecond ? lead.low : 0x80) ||
        byte > (isSecond ? lead.high : 0xbf))
      return {Part::Wrong, i};
  }
  return {Part::Character, lead.size};
}

std::string Utf8Stream::add(std::string_view bytes) {
  held += bytes;
  std::string_view rest = held;
  std::string text;
  while (!rest.empty()) {
    Part part = findPart(rest);
    if (part.kind == Part::Begin)
      break;
    text +=
        part.kind == Part::Character ? rest.substr(0, part.size) : kReplacement;
    rest.remove_prefix(part.size);
  }
  held = std::string(rest);
  return text;
}

std::string Utf8Stream::finish() {
  bool isWhole = held.empty();
  held.clear();
  return isWhole ? "" : std::string(kReplacement);
}
