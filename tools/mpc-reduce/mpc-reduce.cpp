// Makes a model that shows a fault smaller, as long as a script says that it
// still shows it: MLIR's reducer with the dialects and passes of mpc.
#include "Reductions.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "mpc/InitAll.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &stream) {
    stream << "mpc-reduce " MPC_VERSION "\n";
  });
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
