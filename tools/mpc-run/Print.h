// What the tool prints goes through here. Names come from files of others, and
// nothing in them moves the cursor, colours the terminal or ends a line.
#ifndef MPC_TOOLS_MPC_RUN_PRINT_H
#define MPC_TOOLS_MPC_RUN_PRINT_H

#include "mpc/Support/Printable.h"

#include <cstdio>
#include <string>
#include <type_traits>

namespace mpc::run {

/// A value as std::printf takes it; of a text only what is printable.
template <typename Value> auto asPrinted(const Value &value) {
  if constexpr (std::is_arithmetic_v<Value>)
    return value;
  else
    return printable(value);
}

/// Text of our own.
inline void print(const char *text) { std::fputs(text, stdout); }
/// As std::printf does, whatever texts are among the values.
template <typename... Values>
void print(const char *pattern, const Values &...values) {
  auto give = [](const auto &value) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
      return value;
    else
      return value.c_str();
  };
  [&](const auto &...clean) {
    std::printf(pattern, give(clean)...);
  }(asPrinted(values)...);
}

/// Lines that were put together elsewhere: names in them may end one.
void printLines(std::FILE *stream, std::string_view lines);

/// "mpc-run: error: ...", a line.
std::string makeComplaint(const char *what, std::string_view message);
/// To standard error.
void complain(const char *what, std::string_view message);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_PRINT_H
