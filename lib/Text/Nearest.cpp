#include "mpc/Text/Nearest.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;

/// "learning_rate": "lr". Of one part: none.
static std::string initialsOf(StringRef word) {
  SmallVector<StringRef> parts;
  word.split(parts, '_', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::string initials;
  if (parts.size() > 1)
    for (StringRef part : parts)
      initials += part.front();
  return initials;
}

/// Of the same letters: "tahn" and "tanh".
static bool haveSameLetters(StringRef a, StringRef b) {
  std::string one = a.str(), other = b.str();
  llvm::sort(one);
  llvm::sort(other);
  return one == other;
}

StringRef mpc::findNearest(ArrayRef<StringRef> words, StringRef given) {
  StringRef nearest;
  unsigned least = ~0u;
  for (StringRef word : words) {
    unsigned distance = given.edit_distance(word);
    if (initialsOf(given) == word || initialsOf(word) == given)
      distance = 0;
    bool isNear = distance <= std::max<size_t>(1, word.size() / 3) ||
                  given.contains(word) || word.contains(given) ||
                  haveSameLetters(given, word);
    if (isNear && distance < least) {
      nearest = word;
      least = distance;
    }
  }
  return nearest;
}

std::string mpc::suggestNearest(ArrayRef<StringRef> words, StringRef given) {
  StringRef nearest = findNearest(words, given);
  return nearest.empty() ? "" : (", did you mean '" + nearest + "'?").str();
}

std::string mpc::quoteAll(ArrayRef<StringRef> words, StringRef last) {
  std::string text;
  for (auto [index, word] : llvm::enumerate(words)) {
    if (index)
      text += index + 1 == words.size() ? " " + last.str() + " " : ", ";
    text += ("'" + word + "'").str();
  }
  return text;
}
