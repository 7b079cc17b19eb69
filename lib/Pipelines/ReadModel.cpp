#include "mpc/Pipelines/ReadModel.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mpc/Support/Text/Nesting.h"

using namespace mpc;

/// "model.mlir:3:17: ".
static std::string describePlace(const llvm::MemoryBuffer &text, size_t at) {
  StringRef before = text.getBuffer().take_front(at);
  size_t line = before.count('\n') + 1;
  size_t column = at - (before.rfind('\n') + 1) + 1; // npos + 1 is 0
  return (text.getBufferIdentifier() + ":" + Twine(line) + ":" + Twine(column) +
          ": ")
      .str();
}

LogicalResult mpc::checkNesting(const llvm::MemoryBuffer &text,
                                std::string &error) {
  if (mlir::isBytecode(text.getMemBufferRef()))
    return success();
  StringRef all = text.getBuffer();
  if (auto at = findTooDeepBracket(all, BracketSyntax::Mlir))
    error = describePlace(text, *at) + "expected brackets nested at most " +
            std::to_string(kDeepestBrackets) + " deep, but this one is deeper";
  else if (auto at = findTooDeepAlias(all))
    error = describePlace(text, *at) + "expected aliases of aliases at most " +
            std::to_string(kDeepestBrackets) + " deep, but this one is deeper";
  else if (auto at = findTooLongAffine(all))
    error = describePlace(text, *at) +
            "expected an affine map or set that ends by ')>' after at most "
            "4096 bytes";
  else if (auto at = findTooLargeResultNumber(all))
    error = describePlace(text, *at) +
            "expected the number of a result, but the text cannot define as "
            "many results";
  return success(error.empty());
}
