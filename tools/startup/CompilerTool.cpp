#include "CompilerTool.h"
#include "mpc/CommandLine/Exit.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <unistd.h>

using namespace mpc;

static const char *toolName = nullptr;

static void tellFullOutput() {
  llvm::raw_fd_ostream &output = llvm::outs();
  output.flush();
  std::error_code failed = output.error();
  if (!failed)
    return;
  output.clear_error();
  llvm::errs() << toolName << ": error: standard output cannot be written: "
               << failed.message() << "\n";
  // The code of an exit that is under way cannot be changed otherwise.
  _exit(int(cli::Exit::Failed));
}

tools::CompilerTool::CompilerTool(const char *name, const char *report,
                                  int &argc, char **&argv)
    : init(argc, argv) {
  toolName = name;
  llvm::setBugReportMsg(report);
  cli::ignoreFileSizeSignal();
  llvm::outs(); // made first, so that it is still there when it is asked
  std::atexit(tellFullOutput);
}
