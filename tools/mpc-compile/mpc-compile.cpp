// Compiles a model to a program file: every stage, then kernels, then records.
#include "Compilation.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc::compile;

int main(int argc, char **argv) {
  llvm::setBugReportMsg("mpc-compile has crashed, which is a defect of mpc. "
                        "Please report it with the model and what follows.\n");
  llvm::InitLLVM init(argc, argv);
  std::string error;
  auto options =
      parseOptions(std::vector<std::string>(argv + 1, argv + argc), error);
  if (llvm::failed(options)) {
    llvm::errs() << "mpc-compile: error: " << error << "\n";
    return int(Exit::Usage);
  }
  if (options->help || options->version) {
    llvm::outs() << (options->help ? helpText() : "mpc " MPC_VERSION "\n");
    return int(Exit::Ok);
  }
  return int(run(*options));
}
