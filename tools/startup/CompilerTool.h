// How the tools that speak through LLVM's streams start, and how they end.
#ifndef MPC_TOOLS_STARTUP_COMPILERTOOL_H
#define MPC_TOOLS_STARTUP_COMPILERTOOL_H

#include "llvm/Support/InitLLVM.h"

namespace mpc::tools {

/// The first object of main, one for a process. While it lives, a crash says
/// that it is a defect of mpc and how to report it, and a file that may grow no
/// further (`ulimit -f`) is an error of the write.
///
/// What standard output did not take is told when the process ends, by whatever
/// way (LLVM ends it after --help), and the exit code is Exit::Failed. Without
/// this the stream, whose error nobody asked for, ends it as a bug of LLVM.
class CompilerTool {
public:
  /// `name` is in front of the tool's errors; `report` is what a crash asks of
  /// its reporter. Both are literals: they are read as the process ends.
  CompilerTool(const char *name, const char *report, int &argc, char **&argv);

private:
  llvm::InitLLVM init;
};

} // namespace mpc::tools

#endif // MPC_TOOLS_STARTUP_COMPILERTOOL_H
