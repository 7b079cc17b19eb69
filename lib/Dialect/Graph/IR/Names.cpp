#include "mpc/Dialect/Graph/IR/Names.h"
#include "mlir/IR/Diagnostics.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;

LogicalResult
mpc::graph::verifyName(StringRef name, const Twine &what,
                       function_ref<InFlightDiagnostic()> emitError) {
  if (name.empty())
    return emitError() << "expected " << what
                       << " to be a non-empty string, but got \"\"";
  if (name.size() > kLongestName)
    return emitError() << "expected " << what << " to be a name of at most "
                       << kLongestName << " bytes, but got " << name.size();
  if (name == "__metadata__")
    return emitError() << "expected " << what << " to be another name than '"
                       << name
                       << "', under which checkpoints keep what describes them";
  auto isControl = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (llvm::json::isUTF8(name) && llvm::none_of(name, isControl))
    return success();
  std::string escaped;
  llvm::raw_string_ostream stream(escaped);
  llvm::printEscapedString(name, stream);
  return emitError() << "expected " << what
                     << " to be a name in UTF-8 without control characters, "
                        "but got \""
                     << escaped << "\"";
}

mlir::StringAttr mpc::graph::getName(Attribute mark) {
  if (auto state = dyn_cast_if_present<StateAttr>(mark))
    return state.getName();
  return dyn_cast_if_present<StringAttr>(mark);
}

StringRef mpc::graph::findWord(StringRef name,
                               ArrayRef<std::string_view> words) {
  for (StringRef word : words)
    if (name.starts_with(word) && name.drop_front(word.size()).starts_with("."))
      return word;
  return "";
}
