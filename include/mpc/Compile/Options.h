// What can be chosen about a compilation: one table
// (mpc/CommandLine/Command.h), whose rows for the pipeline and for how to train
// come from the pipeline. A command line and a list of names and values are
// read by the same rows.
#ifndef MPC_COMPILE_OPTIONS_H
#define MPC_COMPILE_OPTIONS_H

#include "mpc/CommandLine/Command.h"
#include "mpc/Import/Onnx.h"
#include "mpc/Pipelines/Pipelines.h"
#include <string>
#include <vector>

namespace mpc::compile {

struct Options {
  /// Of pipeline.target "cuda": in knownGpus(), each once.
  std::vector<std::string> archs;
  std::string cudaPath; ///< The CUDA toolkit; empty: found.
  PipelineOptions pipeline;
  std::string groups; ///< Parameter groups beside the model's; empty: none.
  /// Of a model in ONNX's format. Its folder is no row: who has a file says it.
  onnx::Options onnx;
  std::string weights; ///< A file that its weights go to; empty: none.
  /// The last option for such models, as it was given; empty: none was.
  std::string onnxOption;
  std::string dumpDirectory; ///< Empty: none.
  std::string cacheDirectory;
  bool sharedCache = false; ///< Believe what others put there.
  std::string archList;     ///< --arch as it was written.
  bool printPolicy = false, printCasts = false, printMemory = false;
  bool printSaved = false, printPeak = false;
  bool noSource = false; ///< Leave the source out of the program.
  bool time = false, verbose = false;
};

/// Adds the rows of everything that can be chosen, tied to `options`, which
/// must outlive the command.
void declareOptions(cli::Command &command, Options &options);

/// Once the rows are read: checks what belongs together, and fills in defaults,
/// also from MPC_CACHE_DIR and MPC_DUMP. A failure names the option.
Status completeOptions(Options &options);

/// A name without dashes, and its value; an empty one is that of a flag.
struct NamedValue {
  std::string name, value;
};

/// The same options from names and values, "precision" and "bf16", complete. A
/// failure names the option as a command line has it, "--precision=bf17", and
/// the nearest name of one that is unknown; one of LLVM, or of memory, is
/// StatusCode::Internal.
Result<Options> readOptions(const std::vector<NamedValue> &given);

/// The rows, for who lists them.
std::vector<cli::OptionInfo> listOptions();

} // namespace mpc::compile

#endif // MPC_COMPILE_OPTIONS_H
