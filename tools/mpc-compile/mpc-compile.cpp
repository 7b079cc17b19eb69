// Compiles a model to a program file: every stage, then kernels, then records.
#include "../startup/CompilerTool.h"
#include "Compilation.h"
#include "mpc/CommandLine/Documents.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;
using namespace mpc::compile;

static int fail(llvm::StringRef message) {
  llvm::errs() << "mpc-compile: error: " << message << "\n";
  return int(Exit::Usage);
}

int main(int argc, char **argv) {
  tools::CompilerTool started(
      "mpc-compile",
      "mpc-compile has crashed, which is a defect of mpc. "
      "Please report it with the model and what follows.\n",
      argc, argv);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  cli::ToolInfo tool = describeTool();
  if (std::optional<Result<std::string>> text = cli::answer(tool, arguments)) {
    if (!*text)
      return fail(text->status().message());
    llvm::outs() << **text;
    return int(Exit::Ok);
  }
  std::string error;
  auto options = parseOptions(arguments, error);
  if (llvm::failed(options))
    return fail(error);
  if (options->help) {
    llvm::outs() << cli::helpText(tool);
    return int(Exit::Ok);
  }
  return int(run(*options));
}
