// Numbers as people type them: decimal, and the whole text. "1e-3" is a number;
// "1e", "0x10", "3 ", "+3", "inf", "nan" and what does not fit its type are
// none.
#ifndef MPC_SUPPORT_NUMBER_H
#define MPC_SUPPORT_NUMBER_H

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace mpc {

/// The number that all of `text` spells. Independent of the locale.
template <typename T>
  requires std::integral<T> || std::floating_point<T>
std::optional<T> parseNumber(std::string_view text) {
  T number{};
  const char *begin = text.data(), *end = begin + text.size();
  auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  if constexpr (std::floating_point<T>)
    if (!std::isfinite(number)) // from_chars reads the words too
      return std::nullopt;
  return number;
}

/// The same into `number`; false, and `number` as it was, where `text` spells
/// none.
template <typename T> bool parseNumber(std::string_view text, T &number) {
  std::optional<T> parsed = parseNumber<T>(text);
  number = parsed.value_or(number);
  return parsed.has_value();
}

/// The shortest text that `parseNumber` reads as the same number: "1e-40".
template <std::floating_point T> std::string formatNumber(T number) {
  char buffer[32]; // A double has at most 24 characters.
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return std::string(buffer, end);
}

} // namespace mpc

#endif // MPC_SUPPORT_NUMBER_H
