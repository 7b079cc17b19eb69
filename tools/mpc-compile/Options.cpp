#include "Options.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Support/GpuDescription.h"
#include "mpc/Target/ArtifactCache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mpc;
using namespace mpc::compile;

namespace {

/// An option of the tool itself; those of the pipeline come from it.
struct ToolOption {
  StringRef name, value, help; ///< `value` is empty for flags.
  std::string *(*text)(Options &) = nullptr;
  bool *(*flag)(Options &) = nullptr;
};

#define MPC_TEXT(member)                                                       \
  [](Options &options) -> std::string * { return &options.member; }
#define MPC_FLAG(member)                                                       \
  nullptr, [](Options &options) -> bool * { return &options.member; }

const ToolOption kToolOptions[] = {
    {"-o", "file", "the program file to write (required)", MPC_TEXT(output)},
    {"--arch", "list", "GPUs of target cuda, e.g. sm_80,sm_90; default sm_90",
     MPC_TEXT(archList)},
    {"--cuda-path", "folder", "the CUDA toolkit; default $CUDA_HOME, or found",
     MPC_TEXT(cudaPath)},
    {"--dump-dir", "folder",
     "write NN-<stage>-<pass>.mlir per pass that "
     "changed something (or set MPC_DUMP)",
     MPC_TEXT(dumpDirectory)},
    {"--cache-dir", "folder", "compiled kernels; default $MPC_CACHE_DIR",
     MPC_TEXT(cacheDirectory)},
    {"--shared-cache", "",
     "trust everyone who can write to the folder of the cache: the kernels in "
     "it run as you",
     MPC_FLAG(sharedCache)},
    {"--inference", "", "build the forward entry only",
     MPC_FLAG(pipeline.inference)},
    {"--probe", "",
     "build the entry probe, which observes every value, from a "
     "model or from the source in a program file",
     MPC_FLAG(pipeline.probe)},
    {"--no-source", "",
     "leave the model's text out of the program: no --on-overflow, "
     "no mpc-run profile",
     MPC_FLAG(noSource)},
    {"--werror", "", "warnings are errors", MPC_FLAG(pipeline.werror)},
    {"--print-policy", "", "print at which precision each op runs, and why",
     MPC_FLAG(printPolicy)},
    {"--print-casts", "", "print each cast, its reason and its bytes",
     MPC_FLAG(printCasts)},
    {"--print-saved", "",
     "print what is saved for the backward, as written and with autocast",
     MPC_FLAG(printSaved)},
    {"--print-memory", "", "print the memory map, also where no terminal is",
     MPC_FLAG(printMemory)},
    {"--time", "",
     "print how long each stage took, also where no terminal "
     "is",
     MPC_FLAG(time)},
    {"-v", "", "all of the above, and remarks of the passes",
     MPC_FLAG(verbose)},
    {"--help", "", "print this", MPC_FLAG(help)},
    {"--version", "", "print the version", MPC_FLAG(version)},
};

std::vector<std::string> allNames() {
  std::vector<std::string> names;
  for (const ToolOption &option : kToolOptions)
    names.push_back(option.name.str());
  for (const PipelineOption &option : pipelineOptions())
    names.push_back("--" + option.name.str());
  return names;
}

/// ", did you mean '--x'?" for the nearest option, "" if none is near.
std::string suggest(StringRef word) {
  std::string best;
  unsigned bestDistance = word.size() / 3 + 2;
  for (const std::string &name : allNames())
    if (unsigned distance = word.edit_distance(name); distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  return best.empty() ? "; see mpc-compile --help"
                      : ", did you mean '" + best + "'?";
}

class Parser {
public:
  Parser(const std::vector<std::string> &arguments, std::string &error)
      : arguments(arguments), error(error) {}

  FailureOr<Options> run() {
    while (at < arguments.size())
      if (failed(parseOne(arguments[at++])))
        return failure();
    return std::move(options);
  }

private:
  LogicalResult fail(const Twine &message) {
    error = message.str();
    return failure();
  }

  LogicalResult parseOne(StringRef word) {
    if (!word.starts_with("-") || word == "-")
      return takeModel(word);
    auto [name, value] = word.split('=');
    bool hasValue = name.size() != word.size();
    if (std::string *text = findText(name))
      return takeText(name, value, hasValue, *text);
    bool *flag = findFlag(name);
    if (!flag)
      return fail("unknown option '" + name + "'" + suggest(name));
    if (hasValue)
      return fail("expected no value for '" + name + "', but got '" + value +
                  "'");
    *flag = true;
    return success();
  }

  LogicalResult takeModel(StringRef word) {
    if (!options.model.empty())
      return fail("expected one model, but got '" + options.model + "' and '" +
                  word + "'");
    options.model = word.str();
    return success();
  }

  LogicalResult takeText(StringRef name, StringRef value, bool hasValue,
                         std::string &text) {
    // "-1" is a value, "--lr" and "-o" are forgotten ones.
    if (!hasValue && at < arguments.size() &&
        !llvm::is_contained(allNames(), arguments[at]) &&
        !StringRef(arguments[at]).starts_with("--"))
      value = arguments[at++];
    if (value.empty())
      return fail("expected a value for '" + name + "', but got none");
    text = value.str();
    return success();
  }

  std::string *findText(StringRef name) {
    for (const ToolOption &option : kToolOptions)
      if (option.text && option.name == name)
        return option.text(options);
    for (const PipelineOption &option : pipelineOptions())
      if (name.starts_with("--") && name.drop_front(2) == option.name)
        return &option.field(options.pipeline);
    return nullptr;
  }

  bool *findFlag(StringRef name) {
    for (const ToolOption &option : kToolOptions)
      if (option.flag && option.name == name)
        return option.flag(options);
    return nullptr;
  }

  const std::vector<std::string> &arguments;
  std::string &error;
  size_t at = 0;
  Options options;
};

LogicalResult check(const Options &options, std::string &error) {
  if (options.model.empty())
    error = "expected a model file, but got none; see mpc-compile --help";
  else if (options.output.empty())
    error = "expected '-o' and the program file to write, but got none";
  else if (llvm::sys::fs::equivalent(options.model, options.output))
    error = "expected a program file that is not the model, but '-o' names '" +
            options.model + "' too";
  else if (!findTarget(options.pipeline.target))
    error = "unknown target '" + options.pipeline.target +
            "': expected one of " + targetNames();
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
      error = "unknown architecture '" + arch.str() + "', expected one of: ";
      error += llvm::join(
          llvm::map_range(knownGpus(),
                          [](const GpuDescription &gpu) { return gpu.arch; }),
          ", ");
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

void printLine(llvm::raw_ostream &stream, StringRef name, StringRef value,
               StringRef help) {
  std::string head = name.str() + (value.empty() ? "" : "=" + value.str());
  if (name == "-o")
    head = "-o " + value.str();
  constexpr unsigned kColumn = 30, kWidth = 100; // of help, of a line
  stream << "  " << llvm::left_justify(head, kColumn);
  unsigned at = kColumn;
  for (StringRef word : llvm::split(help, ' ')) {
    if (at > kColumn && at + 1 + word.size() > kWidth) {
      stream << "\n" << std::string(2 + kColumn, ' ');
      at = kColumn;
    } else if (at > kColumn) {
      stream << ' ';
      ++at;
    }
    stream << word;
    at += word.size();
  }
  stream << "\n";
}

} // namespace

FailureOr<Options>
compile::parseOptions(const std::vector<std::string> &arguments,
                      std::string &error) {
  FailureOr<Options> options = Parser(arguments, error).run();
  if (failed(options) || options->help || options->version)
    return options;
  if (options->pipeline.target.empty())
    options->pipeline.target = allTargets().front().name.str();
  if (failed(check(*options, error)) || failed(readArchs(*options, error)))
    return failure();
  if (options->verbose)
    options->printPolicy = options->printCasts = options->printSaved =
        options->printMemory = options->time = true;
  const char *dump = std::getenv("MPC_DUMP");
  if (options->dumpDirectory.empty() && dump)
    options->dumpDirectory = dump;
  if (options->cacheDirectory.empty())
    options->cacheDirectory = target::defaultCacheDir();
  return options;
}

std::string compile::helpText() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "mpc-compile MODEL.mlir -o PROGRAM.mpcx [options]\n\n"
            "Compiles a model to a program that mpc-run trains.\n\n";
  for (const ToolOption &option : kToolOptions)
    printLine(stream, option.name, option.value, option.help);
  stream << "\nWhat to compile for (cpu), and how to train; what is given "
            "overrides the model's\ngraph.training:\n";
  for (const PipelineOption &option : pipelineOptions())
    printLine(stream, "--" + option.name.str(), "value", option.help);
  stream
      << "\nExit codes: 0 done, 1 the compiler or the system failed, 2 wrong "
         "command line,\n3 the model is missing, malformed or not "
         "supported, or how to train is. A failure\nleaves PROGRAM.mpcx as it "
         "was.\n";
  return text;
}
