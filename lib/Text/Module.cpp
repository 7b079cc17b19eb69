#include "mpc/Text/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;

std::string mpc::printModule(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo();
  module.print(stream, flags);
  return text;
}
