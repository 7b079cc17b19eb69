#include "JsonFile.h"
#include "mpc/Support/Text/Nesting.h"
#include "mpc/Text/ReadFile.h"

using namespace mpc;

static llvm::Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

llvm::Expected<llvm::json::Value> mpc::graph::readJson(StringRef path) {
  std::string failure;
  auto buffer = readFile(path, failure);
  if (failed(buffer)) {
    StringRef why = failure; // callers name the file
    why.consume_front(("'" + path + "': ").str());
    return error(why);
  }
  StringRef text = (*buffer)->getBuffer();
  // LLVM's parser descends with every bracket.
  if (auto at = findTooDeepBracket(text, BracketSyntax::Json))
    return error("expected brackets nested at most " + Twine(kDeepestBrackets) +
                 " deep, but that at byte " + Twine(*at) + " is deeper");
  auto json = llvm::json::parse(text);
  if (!json)
    return error("is not JSON: " + llvm::toString(json.takeError()));
  return json;
}
