#include "mpc/Text/WordSyntax.h"
#include "mpc/Text/Nearest.h"
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

/// The error at `where` for `given`, where one of `words` or what `follows`
/// them may stand.
static mlir::ParseResult refuse(mlir::OpAsmParser &parser, llvm::SMLoc where,
                                StringRef given, SmallVector<StringRef> words,
                                StringRef follows) {
  // The parser begins the sentence: "custom op 'graph.sum' ".
  InFlightDiagnostic error = parser.emitError(where);
  if (llvm::is_contained(words, given)) {
    error << "expected '" << given << "' in another place";
    if (words.size() == 1)
      return error << ", and once";
    return error << ": words stand in the order " << quoteAll(words, "and")
                 << ", each once";
  }
  std::string suggestion = suggestNearest(words, given);
  words.push_back(follows);
  if (suggestion.empty())
    suggestion = suggestNearest(follows, given);
  return error << "expected " << quoteAll(words, "or") << ", but got '" << given
               << "'" << suggestion;
}

mlir::ParseResult mpc::parseOtherWord(mlir::OpAsmParser &parser,
                                      StringRef syntax) {
  llvm::SMLoc where = parser.getCurrentLocation();
  StringRef given;
  if (failed(parser.parseOptionalKeyword(&given)))
    return success();
  return refuse(parser, where, given, findOptionalWords(syntax), ":");
}

mlir::ParseResult mpc::parseWord(mlir::OpAsmParser &parser, StringRef word,
                                 StringRef syntax) {
  llvm::SMLoc where = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword(word)))
    return success();
  StringRef given;
  if (failed(parser.parseOptionalKeyword(&given)))
    return parser.emitError(where, "expected '") << word << " = '";
  size_t place = syntax.find((" `" + word + "`").str());
  return refuse(parser, where, given,
                findOptionalWords(syntax.take_front(place)), word);
}
