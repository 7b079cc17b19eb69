#include "mpc/Support/Printable.h"

using namespace mpc;

/// The bytes of the character that `text` begins with, 0 if that is no UTF-8:
/// RFC 3629, without what is written longer than it need be and surrogates.
static size_t lengthOf(const unsigned char *text, size_t left) {
  unsigned first = text[0];
  if (first < 0x80)
    return 1;
  size_t length = first < 0xc2   ? 0
                  : first < 0xe0 ? 2
                  : first < 0xf0 ? 3
                  : first < 0xf5 ? 4
                                 : 0;
  if (length == 0 || length > left)
    return 0;
  unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (text[1] < least || text[1] > most)
    return 0;
  for (size_t i = 2; i < length; ++i)
    if (text[i] < 0x80 || text[i] > 0xbf)
      return 0;
  return length;
}

size_t mpc::replaceControls(char *text, size_t length, std::string_view kept) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(text);
  size_t end = 0;
  for (size_t i = 0, size; i < length; i += size) {
    size = lengthOf(bytes + i, length - i);
    bool isLong = size == 2 && bytes[i] == 0xc2 && bytes[i + 1] < 0xa0;
    bool isControl = (bytes[i] < ' ' || bytes[i] == 0x7f || isLong) &&
                     kept.find(text[i]) == std::string_view::npos;
    if (isControl || size == 0) {
      text[end++] = '?';
      size = size == 0 ? 1 : size;
      continue;
    }
    for (size_t k = 0; k < size; ++k)
      text[end++] = text[i + k];
  }
  return end;
}

std::string mpc::printable(std::string_view text, std::string_view kept) {
  std::string clean(text);
  clean.resize(replaceControls(clean.data(), clean.size(), kept));
  return clean;
}
