#include "mpc/Support/Printable.h"

using namespace mpc;

size_t mpc::replaceControls(char *text, size_t length, std::string_view kept) {
  auto at = [&](size_t i) -> unsigned {
    return i < length ? static_cast<unsigned char>(text[i]) : 0;
  };
  size_t end = 0;
  for (size_t i = 0; i < length; ++i) {
    bool isLong = at(i) == 0xc2 && at(i + 1) >= 0x80 && at(i + 1) < 0xa0;
    bool isControl = (at(i) < ' ' || at(i) == 0x7f || isLong) &&
                     kept.find(text[i]) == std::string_view::npos;
    text[end++] = isControl ? '?' : text[i];
    i += isLong;
  }
  return end;
}

std::string mpc::printable(std::string_view text, std::string_view kept) {
  std::string clean(text);
  clean.resize(replaceControls(clean.data(), clean.size(), kept));
  return clean;
}
