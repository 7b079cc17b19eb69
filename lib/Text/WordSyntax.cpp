#include "mpc/Text/WordSyntax.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;

/// The words of "(`word` ...", in order.
static SmallVector<StringRef> findOptionalWords(StringRef syntax) {
  constexpr StringRef kBegin = "(`";
  SmallVector<StringRef> words;
  for (size_t at = syntax.find(kBegin); at != StringRef::npos;
       at = syntax.find(kBegin, at + 1))
    words.push_back(syntax.substr(at + kBegin.size()).split('`').first);
  return words;
}

static std::string quote(StringRef word) { return ("'" + word + "'").str(); }

/// "'a', 'b' <last> 'c'".
static std::string quoteAll(ArrayRef<StringRef> words, StringRef last) {
  std::string text;
  for (auto [index, word] : llvm::enumerate(words)) {
    if (index)
      text += index + 1 == words.size() ? " " + last.str() + " " : ", ";
    text += quote(word);
  }
  return text;
}

/// The one of `words` that `given` is a misspelling of: a few letters differ,
/// or one holds the other. Empty: none.
static StringRef findNearest(ArrayRef<StringRef> words, StringRef given) {
  StringRef nearest;
  unsigned least = ~0u;
  for (StringRef word : words) {
    unsigned distance = given.edit_distance(word);
    bool isNear = distance <= std::max<size_t>(1, word.size() / 3) ||
                  given.contains(word) || word.contains(given);
    if (isNear && distance < least) {
      nearest = word;
      least = distance;
    }
  }
  return nearest;
}

mlir::ParseResult mpc::parseOtherWord(mlir::OpAsmParser &parser,
                                      StringRef syntax) {
  llvm::SMLoc where = parser.getCurrentLocation();
  StringRef given;
  if (failed(parser.parseOptionalKeyword(&given)))
    return success();
  // The parser begins the sentence: "custom op 'graph.sum' ".
  SmallVector<StringRef> words = findOptionalWords(syntax);
  InFlightDiagnostic error = parser.emitError(where);
  if (llvm::is_contained(words, given)) {
    error << "expected '" << given << "' in another place";
    if (words.size() == 1)
      return error << ", and once";
    return error << ": words stand in the order " << quoteAll(words, "and")
                 << ", each once";
  }
  StringRef nearest = findNearest(words, given);
  words.push_back(":");
  error << "expected " << quoteAll(words, "or") << ", but got '" << given
        << "'";
  if (!nearest.empty())
    error << ", did you mean '" << nearest << "'?";
  return error;
}
