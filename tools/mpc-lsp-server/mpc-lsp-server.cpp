// Tells editors what is wrong in a model while it is written: MLIR's language
// server with the dialects of mpc. docs/Editors.md says how to point an editor
// at it.
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mpc/InitAll.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

/// What is registered by now are options of LLVM; those of the server follow.
static void hideForeignOptions() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (option->getOptionHiddenFlag() == llvm::cl::NotHidden &&
        name != "help" && name != "version")
      option->setHiddenFlag(llvm::cl::Hidden);
}

int main(int argc, char **argv) {
  hideForeignOptions();
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &stream) {
    stream << "mpc-lsp-server " MPC_VERSION "\n";
  });
  mlir::DialectRegistry registry;
  mpc::registerAllDialects(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
