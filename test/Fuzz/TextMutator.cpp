#include "TextMutator.h"

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace mpc::fuzz;

namespace {

constexpr std::string_view kNumbers[] = {
    "0",          "1",     "-1",    "2",     "3",
    "7",          "64",    "65",    "1024",  "2147483647",
    "4294967296", "1e308", "1e-45", "1e400", "9223372036854775807",
    "0.0",        "-0.0",  "0.5",   "?",     "18446744073709551616"};
constexpr std::string_view kTypes[] = {
    "f64", "f32", "f16", "bf16", "i64", "i32", "i1", "i8", "f8E4M3FN", "index"};

using Pieces = std::vector<std::string_view>;

bool isWordPart(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
         c == '%' || c == '@' || c == '#';
}

/// Words, and every other character alone.
Pieces splitWords(std::string_view text) {
  Pieces words;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (isWordPart(text[at]))
      while (end < text.size() && isWordPart(text[end]))
        ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

Pieces splitLines(std::string_view text) {
  Pieces lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    end = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string join(const Pieces &pieces) {
  std::string text;
  for (std::string_view piece : pieces)
    text += piece;
  return text;
}

/// Runs of digits apart from the rest: dims are words of their own.
Pieces splitNumbers(std::string_view text) {
  auto isDigit = [&](size_t at) {
    return std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  Pieces runs;
  for (size_t at = 0, end = 0; at < text.size(); at = end) {
    while (end < text.size() && isDigit(end) == isDigit(at))
      ++end;
    runs.push_back(text.substr(at, end - at));
  }
  return runs;
}

bool isNumber(std::string_view word) {
  return std::isdigit(static_cast<unsigned char>(word.front()));
}
bool isType(std::string_view word) {
  for (std::string_view type : kTypes)
    if (word.ends_with(type))
      return true;
  return false;
}
bool isValue(std::string_view word) { return word.front() == '%'; }
bool isOp(std::string_view word) { return word.starts_with("graph."); }

class Mutation {
public:
  explicit Mutation(unsigned seed) : random(seed) {}

  std::string apply(std::string_view text, std::string_view other) {
    switch (below(8)) {
    case 0:
    case 1:
      return renumber(text);
    case 2:
      return retype(text);
    case 3:
      return exchange(text, text, isValue);
    case 4:
      return exchange(text, other, isOp);
    case 5:
      return exchange(text, other, isType);
    case 6:
      return change(splitLines(text), splitLines(other));
    default:
      return change(splitWords(text), splitWords(other));
    }
  }

  size_t below(size_t count) { return random() % count; }

private:
  /// A number becomes another, in one place or everywhere.
  std::string renumber(std::string_view text) {
    Pieces runs = splitNumbers(text);
    std::string_view *chosen = choose(runs, isNumber);
    if (!chosen)
      return std::string(text);
    std::string_view old = *chosen, now = kNumbers[below(std::size(kNumbers))];
    *chosen = now;
    if (below(4) != 0)
      for (std::string_view &run : runs)
        if (run == old)
          run = now;
    return join(runs);
  }

  /// A type becomes another everywhere.
  std::string retype(std::string_view text) {
    std::string_view old = kTypes[below(std::size(kTypes))],
                     now = kTypes[below(std::size(kTypes))];
    std::string result(text);
    for (size_t at = 0; (at = result.find(old, at)) != std::string::npos;
         at += now.size())
      result.replace(at, old.size(), now);
    return result;
  }

  /// A word of a kind gives way to another of that kind.
  std::string exchange(std::string_view text, std::string_view other,
                       bool (*isKind)(std::string_view)) {
    Pieces words = splitWords(text), others = splitWords(other);
    std::string_view *place = choose(words, isKind),
                     *word = choose(others, isKind);
    if (place && word)
      *place = *word;
    return join(words);
  }

  /// A piece is dropped, doubled, swapped, or gives way to any other.
  std::string change(Pieces pieces, const Pieces &others) {
    size_t at = below(pieces.size());
    switch (below(4)) {
    case 0:
      pieces.erase(pieces.begin() + at);
      break;
    case 1:
      pieces.insert(pieces.begin() + at, pieces[below(pieces.size())]);
      break;
    case 2:
      std::swap(pieces[at], pieces[below(pieces.size())]);
      break;
    default:
      if (!others.empty())
        pieces[at] = others[below(others.size())];
    }
    return join(pieces);
  }

  /// Some word of a kind, or null.
  std::string_view *choose(Pieces &words, bool (*isKind)(std::string_view)) {
    for (size_t tries = 0; tries < 256 && !words.empty(); ++tries)
      if (std::string_view &word = words[below(words.size())]; isKind(word))
        return &word;
    return nullptr;
  }

  std::minstd_rand random;
};

} // namespace

std::string mpc::fuzz::mutateText(std::string_view text, std::string_view other,
                                  unsigned seed) {
  Mutation mutation(seed);
  std::string result(text);
  for (size_t count = 1 + mutation.below(3); count > 0 && !result.empty();
       --count)
    result = mutation.apply(result, other);
  return result;
}
