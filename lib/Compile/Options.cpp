#include "mpc/Compile/Options.h"
#include "mpc/CommandLine/Suggest.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Support/GpuDescription.h"
#include "mpc/Target/ArtifactCache.h"
#include "mpc/Target/FatalErrors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>
#include <optional>

using namespace mpc;
using namespace mpc::compile;

namespace {

//===-- The table --------------------------------------------------------===//

void declareOutput(cli::Command &command, Options &options) {
  command.beginGroup("Output");
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

std::vector<std::string> toStrings(ArrayRef<StringRef> words) {
  return {words.begin(), words.end()};
}

/// Of models in ONNX's format, as mpc-opt reads them, too.
void declareOnnx(cli::Command &command, Options &options) {
  command.beginGroup("Models in ONNX's format");
  for (const onnx::OptionRow &row : onnx::optionRows()) {
    std::string name = "--" + row.name.str();
    auto read = [&options, &row,
                 name](const std::string &text) -> std::optional<std::string> {
      options.onnxOption = name;
      return row.read(options.onnx, row.metavar.empty() ? "true" : text);
    };
    cli::Option &option =
        command.addChecked(name, row.metavar.str(), row.help.str(), read);
    if (!row.words.empty())
      option.oneOf(toStrings(row.words));
    if (row.isOfTraining)
      option.excludes("--inference");
  }
  command.addText("--weights", "FILE",
                  "a file for the weights of a .onnx; default of mpc-compile: "
                  "OUTPUT.weights.safetensors, beside the program",
                  options.weights);
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

/// Beside those of a model, which say the same in its own words.
void declareGroups(cli::Command &command, Options &options) {
  command.beginGroup("Parameter groups");
  command
      .addText("--groups", "NAME:SETTING=VALUE,...:REGEX;...",
               "parameters whose whole names match have other settings of the "
               "optimizer, e.g. no_decay:weight-decay=0:.*bias",
               options.groups)
      .excludes("--inference")
      .excludes("--probe");
}

//===-- Checks -----------------------------------------------------------===//

std::string check(const Options &options) {
  if (options.pipeline.target == "cpu" && !options.archList.empty())
    return "'--arch' is for target cuda, but the target is cpu";
  if (options.pipeline.target == "cpu" && !options.cudaPath.empty())
    return "'--cuda-path' is for target cuda, but the target is cpu";
  if (options.pipeline.probe && options.pipeline.target != "cpu")
    return "expected target cpu with '--probe', since values are observed on "
           "the processor, but got '" +
           options.pipeline.target + "'";
  return "";
}

/// Fills the architectures of target "cuda" from --arch.
std::string readArchs(Options &options) {
  if (options.pipeline.target != "cuda")
    return "";
  StringRef list = options.archList;
  if (list.empty())
    list = "sm_90";
  for (StringRef arch : llvm::split(list, ',')) {
    if (!findGpu(arch)) {
      std::vector<std::string> known;
      for (const GpuDescription &gpu : knownGpus())
        known.emplace_back(gpu.arch);
      return "unknown architecture '" + arch.str() +
             "', expected one of: " + llvm::join(known, ", ") +
             cli::suggest(arch, known);
    }
    if (llvm::is_contained(options.archs, arch))
      return "expected each architecture once, but got '" + arch.str() +
             "' twice";
    options.archs.push_back(arch.str());
  }
  return "";
}

Status usage(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}

} // namespace

void compile::declareOptions(cli::Command &command, Options &options) {
  declareOutput(command, options);
  declareOnnx(command, options);
  declarePipeline(command, options);
  declareGroups(command, options);
  declareTarget(command, options);
  declareReports(command, options);
}

Status compile::completeOptions(Options &options) {
  if (!options.weights.empty())
    options.onnxOption = "--weights";
  if (options.pipeline.target.empty())
    options.pipeline.target = allTargets().front().name.str();
  if (std::string mistake = check(options); !mistake.empty())
    return usage(std::move(mistake));
  if (std::string mistake = readArchs(options); !mistake.empty())
    return usage(std::move(mistake));
  if (options.verbose)
    options.printPolicy = options.printCasts = options.printSaved =
        options.printMemory = options.printPeak = options.time = true;
  const char *dump = std::getenv("MPC_DUMP");
  if (options.dumpDirectory.empty() && dump)
    options.dumpDirectory = dump;
  if (options.cacheDirectory.empty())
    options.cacheDirectory = target::defaultCacheDir();
  if (options.sharedCache && options.cacheDirectory.empty())
    return usage("'--shared-cache' needs a cache; give '--cache-dir FOLDER' or "
                 "set MPC_CACHE_DIR");
  return {};
}

static Result<Options> readAll(const std::vector<NamedValue> &given) {
  Options options;
  cli::Command command("mpc-compile", "", "", "MODEL");
  declareOptions(command, options);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto &[name, value] : given)
    pairs.emplace_back("--" + name, value);
  if (Status status = command.readPairs(pairs); !status.ok())
    return status;
  if (Status status = completeOptions(options); !status.ok())
    return status;
  return options;
}

Result<Options> compile::readOptions(const std::vector<NamedValue> &given) {
  // Made here, where an end of memory is an exception: what is made once must
  // not be left half made.
  (void)pipelineOptions();
  // MLIR judges some of the values.
  target::FatalErrors fatalErrors;
  std::optional<Result<Options>> options;
  bool isFatal = false;
  llvm::Error failed = fatalErrors.run(
      [&] {
        options = readAll(given);
        return llvm::Error::success();
      },
      isFatal);
  if (failed)
    return Status(StatusCode::Internal, llvm::toString(std::move(failed)));
  return std::move(*options);
}

std::vector<cli::OptionInfo> compile::listOptions() {
  Options options;
  cli::Command command("mpc-compile", "", "", "MODEL");
  declareOptions(command, options);
  return command.information().options;
}
