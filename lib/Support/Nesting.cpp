#include "mpc/Support/Nesting.h"

using namespace mpc;

/// Behind the string that opens at `at`: escapes have two characters at least.
static size_t skipString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\')
      ++at;
  return at + 1;
}

/// Behind what begins at `at` and is no bracket, though it looks like one, or
/// `at` itself.
static size_t skipOther(std::string_view text, size_t at,
                        BracketSyntax syntax) {
  if (text[at] == '"')
    return skipString(text, at);
  if (syntax == BracketSyntax::Json)
    return at;
  std::string_view two = text.substr(at, 2);
  if (two == "//")
    return text.find('\n', at); // npos: the text ends with the comment
  if (two == "->" || two == "<=" || two == ">=")
    return at + 2;
  return at;
}

std::optional<size_t> mpc::findTooDeepBracket(std::string_view text,
                                              BracketSyntax syntax,
                                              unsigned deepest) {
  bool json = syntax == BracketSyntax::Json;
  std::string_view opening = json ? "{[" : "{[(<";
  std::string_view closing = json ? "}]" : "}])>";
  unsigned depth = 0;
  for (size_t at = 0; at < text.size();) {
    if (size_t next = skipOther(text, at, syntax); next != at) {
      at = next;
      continue;
    }
    if (opening.find(text[at]) != opening.npos && ++depth > deepest)
      return at;
    if (closing.find(text[at]) != closing.npos && depth > 0)
      --depth; // one too many is for the parser to tell
    ++at;
  }
  return std::nullopt;
}
