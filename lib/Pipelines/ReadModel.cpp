#include "mpc/Pipelines/ReadModel.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Support/FileUtilities.h"
#include "mpc/Support/Nesting.h"

using namespace mpc;

FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
mpc::readFile(StringRef path, std::string &error) {
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      mlir::openInputFile(path, &error);
  if (!buffer)
    return failure();
  return buffer;
}

LogicalResult mpc::checkNesting(const llvm::MemoryBuffer &text,
                                std::string &error) {
  if (mlir::isBytecode(text.getMemBufferRef()))
    return success();
  StringRef all = text.getBuffer();
  std::optional<size_t> at = findTooDeepBracket(all, BracketSyntax::Mlir);
  if (!at)
    return success();
  StringRef before = all.take_front(*at);
  size_t line = before.count('\n') + 1;
  size_t column = *at - (before.rfind('\n') + 1) + 1; // npos + 1 is 0
  error = (text.getBufferIdentifier() + ":" + Twine(line) + ":" +
           Twine(column) + ": expected brackets nested at most " +
           Twine(kDeepestBrackets) + " deep, but this one is deeper")
              .str();
  return failure();
}
