// The command line of mpc-compile: one table (mpc/CommandLine/Command.h), whose
// rows for the pipeline and for how to train come from the pipeline.
#ifndef MPC_TOOLS_MPC_COMPILE_OPTIONS_H
#define MPC_TOOLS_MPC_COMPILE_OPTIONS_H

#include "mpc/CommandLine/Exit.h"
#include "mpc/CommandLine/Tables.h"
#include "mpc/Pipelines/Pipelines.h"
#include <string>
#include <vector>

namespace mpc::compile {

using cli::Exit;

struct Options {
  std::string model, output;
  /// Of pipeline.target "cuda": in knownGpus(), each once.
  std::vector<std::string> archs;
  std::string cudaPath; ///< The CUDA toolkit; empty: found.
  PipelineOptions pipeline;
  std::string dumpDirectory; ///< Empty: none.
  std::string cacheDirectory;
  bool sharedCache = false; ///< Believe what others put there.
  std::string archList;     ///< --arch as it was written.
  bool printPolicy = false, printCasts = false, printMemory = false;
  bool printSaved = false, printPeak = false;
  bool noSource = false; ///< Leave the source out of the program.
  bool time = false, verbose = false;
  bool help = false; ///< Print the help, and nothing else.
};

/// Everything that mpc-compile takes.
cli::ToolInfo describeTool();

/// Reads the arguments after the program's name. On failure `error` says what
/// is wrong with which argument, and names the nearest option.
FailureOr<Options> parseOptions(const std::vector<std::string> &arguments,
                                std::string &error);

} // namespace mpc::compile

#endif // MPC_TOOLS_MPC_COMPILE_OPTIONS_H
