// The command line of mpc-compile: `--name=value`, `--name value`, flags and
// one model. Own parser: LLVM's would show hundreds of options that are not
// ours.
#ifndef MPC_TOOLS_MPC_COMPILE_OPTIONS_H
#define MPC_TOOLS_MPC_COMPILE_OPTIONS_H

#include "mpc/Pipelines/Pipelines.h"
#include <string>
#include <vector>

namespace mpc::compile {

/// Exit codes, as `mpc-compile --help` lists them.
enum class Exit {
  Ok = 0,
  Failed = 1,   ///< The compiler or the system failed.
  Usage = 2,    ///< The command line makes no sense.
  BadInput = 3, ///< The model is missing, malformed or not supported.
};

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
  bool printSaved = false;
  bool noSource = false; ///< Leave the source out of the program.
  bool time = false, verbose = false;
  bool help = false, version = false;
};

/// Reads the arguments behind the program's name. On failure `error` says what
/// is wrong with which argument, and names the nearest option.
FailureOr<Options> parseOptions(const std::vector<std::string> &arguments,
                                std::string &error);

/// The text of --help.
std::string helpText();

} // namespace mpc::compile

#endif // MPC_TOOLS_MPC_COMPILE_OPTIONS_H
