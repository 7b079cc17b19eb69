// Tells editors what is wrong in a model while it is written: MLIR's language
// server with the dialects of mpc. docs/Editors.md says how to point an editor
// at it.
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mpc/InitAll.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"

/// What is registered by now are options of LLVM; those of the server follow.
static void hideForeignOptions() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (option->getOptionHiddenFlag() == llvm::cl::NotHidden &&
        name != "help" && name != "version")
      option->setHiddenFlag(llvm::cl::Hidden);
}

/// The server hands texts to a parser that descends with every bracket: room
/// for millions of them, of which no memory is taken before it is used.
constexpr unsigned kStackBytes = 2000u << 20;

int main(int argc, char **argv) {
  hideForeignOptions();
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &stream) {
    stream << "mpc-lsp-server " MPC_VERSION "\n";
  });
  mlir::DialectRegistry registry;
  mpc::registerAllDialects(registry);
  bool failed = false;
  llvm::thread server(std::optional(kStackBytes), [&] {
    failed = mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
  });
  server.join();
  return failed;
}
