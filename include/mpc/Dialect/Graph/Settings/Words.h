// The words of settings (Words.td) as enums, and as texts of any list.
#ifndef MPC_DIALECT_GRAPH_SETTINGS_WORDS_H
#define MPC_DIALECT_GRAPH_SETTINGS_WORDS_H

#include "mpc/Interfaces/AutocastOpInterface.h"
#include "mpc/Interfaces/LLVM.h"
#include <optional>
#include <string>
#include <vector>

#include "mpc/Dialect/Graph/Settings/Words.h.inc"

namespace mpc::graph {

/// "cuda", "cpu", "apex": the one list of words whose enum the ops have, too.
StringRef stringifyEnum(TorchLists lists);
template <> std::optional<TorchLists> symbolizeEnum<TorchLists>(StringRef text);

/// The texts of all words of a list, in its order.
template <typename Enum> std::vector<StringRef> listOf() {
  std::vector<StringRef> words;
  for (uint32_t number = 0;; ++number) {
    StringRef word = stringifyEnum(static_cast<Enum>(number));
    if (word.empty())
      return words;
    words.push_back(word);
  }
}

/// "a, b or c", for messages.
std::string listWords(ArrayRef<StringRef> words);

/// A place for a word, of whichever list.
class WordRef {
public:
  template <typename Enum>
  explicit WordRef(Enum &word) : word(&word), list(&kList<Enum>) {}

  StringRef get() const { return list->get(word); }
  /// False, and nothing is set, if `text` is no word of the list.
  bool set(StringRef text) const { return list->set(word, text); }
  std::vector<StringRef> all() const { return list->all(); }

private:
  struct List {
    StringRef (*get)(const void *word);
    bool (*set)(void *word, StringRef text);
    std::vector<StringRef> (*all)();
  };
  template <typename Enum> static StringRef getWord(const void *word) {
    return stringifyEnum(*static_cast<const Enum *>(word));
  }
  template <typename Enum> static bool setWord(void *word, StringRef text) {
    std::optional<Enum> found = symbolizeEnum<Enum>(text);
    if (found)
      *static_cast<Enum *>(word) = *found;
    return found.has_value();
  }
  template <typename Enum>
  static constexpr List kList = {getWord<Enum>, setWord<Enum>, listOf<Enum>};

  void *word;
  const List *list;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_SETTINGS_WORDS_H
