#include "mpc/Support/Text/Nesting.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <unordered_map>

using namespace mpc;

/// After the string that opens at `at`: escapes have two characters at least.
static size_t skipString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\')
      ++at;
  return at + 1;
}

/// After what begins at `at` and is no bracket, though it looks like one, or
/// `at` itself.
static size_t skipOther(std::string_view text, size_t at,
                        BracketSyntax syntax) {
  if (text[at] == '"')
    return skipString(text, at);
  if (syntax == BracketSyntax::Json)
    return at;
  // Asked of each character of long texts: one comparison for most.
  char next = at + 1 < text.size() ? text[at + 1] : '\0';
  switch (text[at]) {
  case '/':
    return next == '/' ? text.find('\n', at) : at; // npos: a comment is last
  case '-':
    return next == '>' ? at + 2 : at;
  case '<':
  case '>':
    return next == '=' ? at + 2 : at;
  default:
    return at;
  }
}

/// 1 for a bracket that opens, -1 for one that closes.
static int getDirection(char c, BracketSyntax syntax) {
  switch (c) {
  case '{':
  case '[':
    return 1;
  case '}':
  case ']':
    return -1;
  case '(':
  case '<':
    return syntax == BracketSyntax::Json ? 0 : 1;
  case ')':
  case '>':
    return syntax == BracketSyntax::Json ? 0 : -1;
  default:
    return 0;
  }
}

std::optional<size_t> mpc::findTooDeepBracket(std::string_view text,
                                              BracketSyntax syntax,
                                              unsigned deepest) {
  unsigned depth = 0;
  for (size_t at = 0; at < text.size();) {
    if (size_t next = skipOther(text, at, syntax); next != at) {
      at = next;
      continue;
    }
    int direction = getDirection(text[at], syntax);
    if (direction > 0 && ++depth > deepest)
      return at;
    if (direction < 0 && depth > 0)
      --depth; // one too many is for the parser to tell
    ++at;
  }
  return std::nullopt;
}

/// The letters, digits and signs of a name from `at` on.
static std::string_view readName(std::string_view text, size_t at) {
  size_t end = at;
  auto isInName = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
  };
  while (end < text.size() && isInName(text[end]))
    ++end;
  return text.substr(at, end - at);
}

/// Whether `=` follows, after spaces, and is not the first of `==`.
static bool isDefinition(std::string_view text, size_t at) {
  at = text.find_first_not_of(" \t\r\n", at);
  return at != text.npos && text[at] == '=' && text.substr(at, 2) != "==";
}

std::optional<size_t> mpc::findTooDeepAlias(std::string_view text,
                                            unsigned deepest) {
  std::unordered_map<std::string_view, unsigned> depths;
  std::string_view current; // the last that was defined, up to the next
  size_t start = 0;         // of its definition
  for (size_t at = 0; at < text.size();) {
    if (size_t next = skipOther(text, at, BracketSyntax::Mlir); next != at) {
      at = next;
      continue;
    }
    if (text[at] != '#' && text[at] != '!') {
      ++at;
      continue;
    }
    std::string_view name = text.substr(at, 1 + readName(text, at + 1).size());
    if (isDefinition(text, at + name.size())) {
      current = name;
      start = at;
      depths[name] = 1;
    } else if (auto found = depths.find(name);
               found != depths.end() && name != current) {
      unsigned &depth = depths[current];
      depth = std::max(depth, found->second + 1);
      if (depth > deepest)
        return start;
    }
    at += name.size();
  }
  return std::nullopt;
}

std::optional<size_t> mpc::findTooLongAffine(std::string_view text,
                                             size_t longest) {
  for (size_t at = 0; at < text.size();) {
    if (size_t next = skipOther(text, at, BracketSyntax::Mlir); next != at) {
      at = next;
      continue;
    }
    std::string_view name = readName(text, at);
    if (name == "affine_map" || name == "affine_set")
      if (text.substr(at, longest).find(")>") == text.npos)
        return at;
    at += std::max<size_t>(name.size(), 1);
  }
  return std::nullopt;
}

/// The number in the decimal digits at `at`, or the largest there is.
static size_t readDigits(std::string_view text, size_t at) {
  size_t number = 0;
  auto [end, error] =
      std::from_chars(text.data() + at, text.data() + text.size(), number);
  return error == std::errc::result_out_of_range
             ? std::numeric_limits<size_t>::max()
             : number;
}

std::optional<size_t> mpc::findTooLargeResultNumber(std::string_view text) {
  constexpr size_t kAlwaysFine = 4096;
  size_t most = std::max(text.size(), kAlwaysFine), total = 0;
  std::unordered_map<std::string_view, size_t> largest;
  for (size_t at = 0; at < text.size();) {
    if (size_t next = skipOther(text, at, BracketSyntax::Mlir); next != at) {
      at = next;
      continue;
    }
    if (text[at] != '%') {
      ++at;
      continue;
    }
    std::string_view name = readName(text, at + 1);
    size_t end = at + 1 + name.size();
    if (text.substr(end, 1) == "#") {
      size_t number = readDigits(text, end + 1);
      size_t &before = largest[name];
      if (number > before) {
        if (number - before > most - total)
          return at;
        total += number - before;
        before = number;
      }
    }
    at = end;
  }
  return std::nullopt;
}
