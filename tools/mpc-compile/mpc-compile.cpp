// Compiles a model to a program file: mpc/Compile does, and this prints what it
// says.
#include "../startup/CompilerTool.h"
#include "Options.h"
#include "mpc/CommandLine/Documents.h"
#include "mpc/Compile/Compile.h"
#include "mpc/Program/Program.h"
#include "mpc/Text/ReadFile.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;
using namespace mpc::compile;

static Exit fail(Exit code, llvm::StringRef message) {
  llvm::errs() << "mpc-compile: error: " << message << "\n";
  return code;
}

/// As people read it on standard error.
static void print(const Diagnostic &diagnostic) {
  if (!diagnostic.text.empty())
    llvm::errs() << diagnostic.text;
  else
    llvm::errs() << "mpc-compile: "
                 << (diagnostic.severity == Severity::Error ? "error: "
                                                            : "warning: ")
                 << diagnostic.message << "\n";
}

static Exit run(CommandLine line) {
  std::string error;
  auto model = readFile(line.model, error);
  if (failed(model))
    return fail(Exit::BadInput, error);
  // In front of all that is written beside it.
  if (Status status = program::checkWritable(line.output); !status.ok())
    return fail(Exit::Failed, status.message());
  bool isTerminal = llvm::sys::Process::StandardErrIsDisplayed();
  line.options.printMemory |= isTerminal;
  Listener listener;
  listener.diagnostic = print;
  listener.report = [](llvm::StringRef text) { llvm::outs() << text; };
  if (line.options.time || isTerminal)
    listener.progress = [](llvm::StringRef text) { llvm::errs() << text; };
  listener.colored = llvm::sys::Process::StandardErrHasColors();
  Compiled compiled;
  line.options.onnx.folder = onnx::folderOf(line.model);
  if (line.options.weights.empty()) {
    StringRef stem = line.output;
    stem.consume_back(".mpcx");
    line.options.weights = stem.str() + ".weights.safetensors";
  }
  Model given{(*model)->getBuffer(), line.model, /*isTerminated=*/true};
  if (Exit exit = compile::compile(given, line.options, listener, compiled);
      exit != Exit::Ok)
    return exit;
  Status written = program::writeFile(line.output, compiled.program);
  return written.ok() ? Exit::Ok : fail(Exit::Failed, written.message());
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
      return int(fail(Exit::Usage, text->status().message()));
    llvm::outs() << **text;
    return int(Exit::Ok);
  }
  Result<CommandLine> line = parseCommandLine(arguments);
  if (!line)
    return int(fail(Exit::Usage, line.status().message()));
  if (line->help) {
    llvm::outs() << cli::helpText(tool);
    return int(Exit::Ok);
  }
  return int(run(std::move(*line)));
}
