// Makes a model that shows a fault smaller, as long as a script says that it
// still shows it: MLIR's reducer with the dialects and passes of mpc.
#include "../startup/CompilerTool.h"
#include "Reductions.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "mpc/InitAll.h"
#include "mpc/Pipelines/ReadModel.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

/// The parser would end with a full stack. MLIR's reducer reads the file by
/// itself, so it is looked at before; whatever is no option may be it.
static bool refuseDeepFiles(llvm::ArrayRef<char *> arguments) {
  for (llvm::StringRef argument : arguments) {
    if (argument.starts_with("-") || !llvm::sys::fs::is_regular_file(argument))
      continue;
    std::string error;
    auto text = mpc::readFile(argument, error);
    if (succeeded(text) && failed(mpc::checkNesting(**text, error))) {
      llvm::errs() << "mpc-reduce: error: " << error << "\n";
      return true;
    }
  }
  return false;
}

int main(int argc, char **argv) {
  mpc::tools::CompilerTool started(
      "mpc-reduce",
      "mpc-reduce has crashed, which is a defect of mpc. Please report it with "
      "the model, the script and what follows.\n",
      argc, argv);
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &stream) {
    stream << "mpc-reduce " MPC_VERSION "\n";
  });
  if (refuseDeepFiles({argv + 1, argv + argc}))
    return 1;
  mpc::registerAllPasses();
  mlir::DialectRegistry registry;
  mpc::registerAllDialects(registry);
  mpc::reduce::registerReductions(registry);
  mlir::MLIRContext context(registry);
  // Without it nobody would hear that the script finds nothing interesting.
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  context.printOpOnDiagnostic(false);
  return failed(mlir::mlirReduceMain(argc, argv, context));
}
