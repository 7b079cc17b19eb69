#include "mpc/Text/Numbers.h"
#include "llvm/ADT/StringRef.h"
#include <cmath>

using namespace mpc;

std::string mpc::withCommas(int64_t number) {
  std::string text = std::to_string(number);
  int64_t first = number < 0 ? 1 : 0;
  for (int64_t at = int64_t(text.size()) - 3; at > first; at -= 3)
    text.insert(at, ",");
  return text;
}

std::optional<int64_t> mpc::parseBytes(StringRef text) {
  constexpr std::pair<StringRef, int> suffixes[] = {
      {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  int shift = 0;
  for (auto [suffix, power] : suffixes)
    if (text.consume_back(suffix)) {
      shift = power;
      break;
    }
  // No sign, exponent or hexadecimal number.
  double number = 0;
  if (text.empty() || text.find_first_not_of("0123456789.") != text.npos ||
      text.getAsDouble(number))
    return std::nullopt;
  double bytes = std::floor(std::ldexp(number, shift));
  if (bytes < 1 || bytes > std::ldexp(1.0, 62))
    return std::nullopt;
  return static_cast<int64_t>(bytes);
}
