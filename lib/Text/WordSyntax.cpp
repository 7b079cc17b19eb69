#include "mpc/Text/WordSyntax.h"
#include "mpc/Text/Nearest.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>

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

/// Names that PyTorch, ONNX or NumPy have for what is said by words of ours.
static constexpr std::pair<StringRef, StringRef> kOtherNames[] = {
    {"axis", "dim"},
    {"axis", "dims"},
    {"count_include_pad", "count_padding"},
    {"eps", "epsilon"},
    {"kernel_size", "kernel"},
    {"num_groups", "groups"},
    {"output_size", "sizes"},
    {"p", "ratio"},
    {"padding", "low"},
    {"padding", "high"},
    {"pads", "low"},
    {"pads", "high"},
    {"size", "sizes"},
};

/// "did you mean" those of `words` that `given` may stand for.
static std::string suggest(ArrayRef<StringRef> words, StringRef given) {
  SmallVector<StringRef> meant;
  for (auto [other, own] : kOtherNames)
    if (other == given && llvm::is_contained(words, own))
      meant.push_back(own);
  return meant.empty() ? suggestNearest(words, given)
                       : ", did you mean " + quoteAll(meant, "and") + "?";
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
  std::string suggestion = suggest(words, given);
  words.push_back(follows);
  if (suggestion.empty())
    suggestion = suggest(follows, given);
  if (suggestion.empty() && given == "bias")
    suggestion = "; a bias is added behind the op, by one of its own";
  return error << "expected " << quoteAll(words, "or") << ", but got '" << given
               << "'" << suggestion;
}

mlir::ParseResult mpc::parseOtherWord(mlir::OpAsmParser &parser,
                                      StringRef syntax) {
  llvm::SMLoc where = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalComma()))
    return parser.emitError(where, "expected no other operand, but got ','");
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
