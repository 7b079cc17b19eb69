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

/// Why MLIR's reducer, which reads the file by itself, must not read `path`:
/// its parser would end with a full stack, or never. Empty: it may.
static std::string checkFile(llvm::StringRef path) {
  llvm::sys::fs::file_status facts;
  if (llvm::sys::fs::status(path, facts) || is_directory(facts))
    return ""; // it says so itself
  if (facts.type() == llvm::sys::fs::file_type::fifo_file)
    return "'" + path.str() +
           "': expected a regular file, which can be read twice, but got a "
           "pipe";
  std::string error;
  auto text = mpc::readFile(path, error);
  if (succeeded(text))
    (void)mpc::checkNesting(**text, error);
  return error;
}

/// Whatever is no option and follows no `-o` may be the model.
static bool refuseFiles(llvm::ArrayRef<char *> arguments) {
  llvm::StringRef before;
  for (llvm::StringRef argument : arguments) {
    bool isModel = !argument.starts_with("-") && before != "-o";
    before = argument;
    std::string error = isModel ? checkFile(argument) : "";
    if (error.empty())
      continue;
    llvm::errs() << "mpc-reduce: error: " << error << "\n";
    return true;
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
  if (refuseFiles({argv + 1, argv + argc}))
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
