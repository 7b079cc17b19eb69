#include "Options.h"
#include "mpc/CommandLine/Command.h"
#include "mpc/CommandLine/Suggest.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Support/GpuDescription.h"
#include "mpc/Target/ArtifactCache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

using namespace mpc;
using namespace mpc::compile;

namespace {

//===-- The table --------------------------------------------------------===//

void declareOutput(cli::Command &command, Options &options) {
  command.beginGroup("Output");
  command.addText("-o", "FILE", "the program file to write", options.output)
      .required();
  command
      .addFlag("--no-source",
               "leave the model's text out of the program: no "
               "--on-overflow, no mpc-run profile",
               options.noSource)
      .excludes("--probe"); // which keeps none
  command.addFlag("--inference", "build the forward entry only",
                  options.pipeline.inference);
  command
      .addFlag("--drop-loss",
               "leave out the loss, and the inputs that only it is for",
               options.pipeline.dropLoss)
      .needs("--inference");
  command.addFlag("--probe",
                  "build the entry probe, which observes every value, from a "
                  "model or from the source in a program file",
                  options.pipeline.probe);
}

void declareTarget(cli::Command &command, Options &options) {
  command.beginGroup("Compilation");
  command.addText("--arch", "LIST",
                  "GPUs of target cuda, e.g. sm_80,sm_90; default sm_90",
                  options.archList);
  command.addText("--cuda-path", "FOLDER",
                  "the CUDA toolkit; default $CUDA_HOME, or found",
                  options.cudaPath);
  command.addText("--cache-dir", "FOLDER",
                  "compiled kernels; default $MPC_CACHE_DIR",
                  options.cacheDirectory);
  command.addFlag("--shared-cache",
                  "trust everyone who can write to the folder of the cache: "
                  "the kernels in it run as you",
                  options.sharedCache);
  command.addFlag("--werror", "warnings are errors", options.pipeline.werror);
}

void declareReports(cli::Command &command, Options &options) {
  command.beginGroup("Reports");
  command.addFlag("--print-policy",
                  "print at which precision each op runs, and why",
                  options.printPolicy);
  command.addFlag("--print-casts", "print each cast, its reason and its bytes",
                  options.printCasts);
  command.addFlag("--print-saved",
                  "print what is saved for the backward, as written and with "
                  "autocast",
                  options.printSaved);
  command.addFlag("--print-memory",
                  "print the memory map, also where no terminal is",
                  options.printMemory);
  command.addFlag("--print-peak",
                  "print what lies in the work block when most of it is in "
                  "use, with source lines",
                  options.printPeak);
  command.addFlag("--time",
                  "print how long each stage took, also where no terminal is",
                  options.time);
  command.addFlag("-v", "all of the above, and remarks of the passes",
                  options.verbose);
  command.addText("--dump-dir", "FOLDER",
                  "write NN-<stage>-<pass>.mlir per pass that changed "
                  "something (or set MPC_DUMP)",
                  options.dumpDirectory);
}

std::vector<std::string> toStrings(ArrayRef<StringRef> words) {
  return {words.begin(), words.end()};
}

void declarePipelineOption(cli::Command &command, const PipelineOption &option,
                           Options &options) {
  // Rows of the pipeline outlive the command.
  auto read = [&](const std::string &text) -> std::optional<std::string> {
    option.field(options.pipeline) = text;
    return findMistake(option, text);
  };
  cli::Option &row = command.addChecked("--" + option.name.str(),
                                        option.metavar, option.help, read);
  if (option.takesOnlyWords)
    row.oneOf(toStrings(option.words));
  else
    row.suggests(toStrings(option.words));
  if (!option.needs.empty())
    row.needs("--" + option.needs.str());
  for (StringRef flag : option.excludes)
    row.excludes("--" + flag.str());
}

/// Options of how to compile, then the settings of how to train.
void declarePipeline(cli::Command &command, Options &options) {
  for (const PipelineOption &option : pipelineOptions()) {
    command.beginGroup(option.group.str());
    declarePipelineOption(command, option, options);
  }
}

cli::Command makeCommand() {
  return {"mpc-compile", "",
          "compiles a model to a program that mpc-run trains", "MODEL.mlir"};
}

void declare(cli::Command &command, Options &options) {
  command.setDetails(
      "Compiles a model to a program that mpc-run trains. What is said here "
      "about how to train overrides the model's graph.training. A failure "
      "leaves the program file as it was.");
  command.alsoTakes(".mlirbc");
  command.alsoTakes(".mpcx"); // with --probe
  declareOutput(command, options);
  declarePipeline(command, options);
  declareTarget(command, options);
  declareReports(command, options);
}

//===-- Checks -----------------------------------------------------------===//

LogicalResult check(const Options &options, std::string &error) {
  if (llvm::sys::fs::equivalent(options.model, options.output))
    error = "expected a program file that is not the model, but '-o' names '" +
            options.model + "' too";
  else if (options.pipeline.target == "cpu" && !options.archList.empty())
    error = "'--arch' is for target cuda, but the target is cpu";
  else if (options.pipeline.target == "cpu" && !options.cudaPath.empty())
    error = "'--cuda-path' is for target cuda, but the target is cpu";
  else if (options.pipeline.probe && options.pipeline.target != "cpu")
    error = "expected target cpu with '--probe', since values are observed on "
            "the processor, but got '" +
            options.pipeline.target + "'";
  return success(error.empty());
}

/// Fills the architectures of target "cuda" from --arch.
LogicalResult readArchs(Options &options, std::string &error) {
  if (options.pipeline.target != "cuda")
    return success();
  StringRef list = options.archList;
  if (list.empty())
    list = "sm_90";
  for (StringRef arch : llvm::split(list, ',')) {
    if (!findGpu(arch)) {
      std::vector<std::string> known;
      for (const GpuDescription &gpu : knownGpus())
        known.emplace_back(gpu.arch);
      error = "unknown architecture '" + arch.str() +
              "', expected one of: " + llvm::join(known, ", ") +
              cli::suggest(arch, known);
      return failure();
    }
    if (llvm::is_contained(options.archs, arch)) {
      error =
          "expected each architecture once, but got '" + arch.str() + "' twice";
      return failure();
    }
    options.archs.push_back(arch.str());
  }
  return success();
}

} // namespace

FailureOr<Options>
compile::parseOptions(const std::vector<std::string> &arguments,
                      std::string &error) {
  Options options;
  cli::Command command = makeCommand();
  declare(command, options);
  Result<cli::Request> request = command.parse(arguments);
  if (!request) {
    error = request.status().message();
    return failure();
  }
  options.help = request->help;
  options.model = request->argument;
  if (options.help)
    return options;
  if (options.pipeline.target.empty())
    options.pipeline.target = allTargets().front().name.str();
  if (failed(check(options, error)) || failed(readArchs(options, error)))
    return failure();
  if (options.verbose)
    options.printPolicy = options.printCasts = options.printSaved =
        options.printMemory = options.printPeak = options.time = true;
  const char *dump = std::getenv("MPC_DUMP");
  if (options.dumpDirectory.empty() && dump)
    options.dumpDirectory = dump;
  if (options.cacheDirectory.empty())
    options.cacheDirectory = target::defaultCacheDir();
  if (options.sharedCache && options.cacheDirectory.empty()) {
    error = "'--shared-cache' needs a cache; give '--cache-dir FOLDER' or set "
            "MPC_CACHE_DIR";
    return failure();
  }
  return options;
}

cli::ToolInfo compile::describeTool() {
  Options options;
  cli::Command command = makeCommand();
  declare(command, options);
  cli::ToolInfo tool;
  tool.name = "mpc-compile";
  tool.version = MPC_VERSION;
  tool.summary = "compiles a model to a program that mpc-run trains";
  tool.commands = {command.information()};
  tool.environment = {{"MPC_CACHE_DIR", "where compiled kernels are kept"},
                      {"MPC_DUMP", "as --dump-dir"},
                      {"MPC_PTXAS", "the ptxas to use for target cuda"},
                      {"CUDA_HOME", "the CUDA toolkit"}};
  tool.exitCodes = {{"0", "success"},
                    {"1", "the compiler or the system failed"},
                    {"2", "the command line is wrong"},
                    {"3", "the model, or a file that an option names, is "
                          "missing, malformed or not supported"}};
  tool.examples = {
      {"mpc-compile model.mlir -o model.mpcx",
       "Compile as the model's graph.training says:"},
      {"mpc-compile model.mlir -o model.mpcx --precision bf16 --lr 1e-3",
       "Compile for bf16, with another learning rate:"}};
  return tool;
}
