#include "Options.h"
#include "llvm/ADT/StringSet.h"
#include <cstdlib>
#include <tuple>

using namespace mpc;
using namespace mpc::opt;
namespace cl = llvm::cl;

OptionParser::OptionParser()
    : category("Compiler options"),
      compileTo("compile-to", cl::cat(category), cl::value_desc("stage"),
                cl::desc("run the stages up to this one")),
      compileFrom("compile-from", cl::cat(category), cl::value_desc("stage"),
                  cl::desc("the input is at this stage: run those after it")),
      dumpDirectory("dump-dir", cl::cat(category), cl::value_desc("folder"),
                    cl::desc("write NN-<stage>-<pass>.mlir per pass that "
                             "changed something (or set MPC_DUMP)")),
      explain(
          "explain", cl::cat(category), cl::value_desc("value"),
          cl::desc("instead of the module, print the life of a value: %name, "
                   "a parameter's name or file.mlir:line")),
      remarks("remarks", cl::cat(category),
              cl::desc("show what was decided and why")),
      werror("werror", cl::cat(category), cl::desc("warnings are errors")),
      inference("inference", cl::cat(category),
                cl::desc("build the forward entry only")),
      dropLoss("drop-loss", cl::cat(category),
               cl::desc("with --inference: leave out the loss, and the inputs "
                        "that only it is for")),
      probe("probe", cl::cat(category),
            cl::desc("build the entry probe: every value observed")),
      importOnnx("import-onnx", cl::cat(category),
                 cl::desc("the input is a model in ONNX's format")) {
  PipelineOptions defaults;
  for (const PipelineOption &option : pipelineOptions())
    texts.push_back(std::make_unique<cl::opt<std::string>>(
        option.name, cl::cat(category), cl::desc(option.help),
        cl::value_desc(option.metavar), cl::init(option.field(defaults))));
  for (const onnx::OptionRow &row : onnx::optionRows()) {
    onnxTexts.push_back(std::make_unique<cl::opt<std::string>>(
        row.name, cl::cat(category), cl::desc(row.help),
        cl::value_desc(row.metavar)));
    if (row.metavar.empty()) // a flag, whose text is of no interest
      onnxTexts.back()->setValueExpectedFlag(cl::ValueOptional);
  }
}

/// Options of mlir-opt that people use.
static bool isKept(StringRef name) {
  static const llvm::StringSet<> kept = {"help",
                                         "help-hidden",
                                         "version",
                                         "list-passes",
                                         "pass-pipeline",
                                         "split-input-file",
                                         "verify-diagnostics",
                                         "run-reproducer",
                                         "mlir-pass-pipeline-crash-reproducer",
                                         "mlir-timing"};
  return kept.contains(name);
}

void OptionParser::hideForeignOptions() {
  for (auto &[name, option] : cl::getRegisteredOptions()) {
    bool ours = llvm::is_contained(option->Categories, &category);
    if (!ours && !isKept(name) &&
        option->getOptionHiddenFlag() == cl::NotHidden)
      option->setHiddenFlag(cl::Hidden);
  }
}

void OptionParser::leaveOutOps() {
  // Of a function it would be a page below a line.
  cl::Option *option =
      cl::getRegisteredOptions().lookup("mlir-print-op-on-diagnostic");
  if (option && !option->getNumOccurrences())
    option->addOccurrence(0, option->ArgStr, "false");
}

static bool readStage(const cl::opt<std::string> &option,
                      std::optional<Stage> &stage, std::string &error) {
  if (option.empty())
    return true;
  stage = parseStage(option);
  if (!stage)
    error = "unknown stage '" + option + "' for option '--" +
            option.ArgStr.str() + "': expected one of " + stageNames();
  return stage.has_value();
}

LogicalResult OptionParser::readStages(Options &options,
                                       std::string &error) const {
  if (!readStage(compileTo, options.compileTo, error) ||
      !readStage(compileFrom, options.compileFrom, error))
    return failure();
  if (options.compileTo == Stage::Program) {
    error = "stage 'program' is not IR: mpc-compile writes programs; the last "
            "stage here is 'exec'";
    return failure();
  }
  if (options.compileFrom && !options.compileTo)
    options.compileTo = Stage::Exec;
  if (options.compileFrom && *options.compileFrom >= *options.compileTo) {
    error = "expected '--compile-to' after '--compile-from', but got '" +
            getName(*options.compileTo).str() + "' and '" +
            getName(*options.compileFrom).str() + "'";
    return failure();
  }
  return success();
}

static bool isGiven(StringRef name) {
  const cl::Option *option = cl::getRegisteredOptions().lookup(name);
  return option && option->getNumOccurrences() > 0;
}

/// Fails if `option`, which was given, would do nothing beside the others.
static LogicalResult checkBeside(const PipelineOption &option,
                                 std::string &error) {
  std::string name = "option '--" + option.name.str() + "'";
  if (!option.needs.empty() && !isGiven(option.needs))
    error = name + " needs '--" + option.needs.str() + "'";
  for (StringRef flag : option.excludes)
    if (isGiven(flag))
      error = "expected " + name + " or '--" + flag.str() + "', but got both";
  return success(error.empty());
}

LogicalResult OptionParser::readTexts(Options &options,
                                      std::string &error) const {
  bool hasPipeline = options.compileTo || !explain.empty();
  for (auto [option, text] : llvm::zip(pipelineOptions(), texts)) {
    option.field(options.pipeline) = text->getValue();
    if (!text->getNumOccurrences())
      continue;
    options.choosesPipeline = true;
    if (!hasPipeline) {
      error = "option '--" + option.name.str() +
              "' needs '--compile-to'; a single pass takes its options as "
              "--pass=\"name=value\"";
      return failure();
    }
    if (failed(checkBeside(option, error)))
      return failure();
    if (auto mistake = findMistake(option, text->getValue())) {
      error =
          "--" + option.name.str() + "=" + text->getValue() + ": " + *mistake;
      return failure();
    }
  }
  return success();
}

LogicalResult OptionParser::readFlags(Options &options,
                                      std::string &error) const {
  if ((inference || probe) && !options.compileTo && explain.empty()) {
    error = std::string("option '--") + (inference ? "inference" : "probe") +
            "' needs '--compile-to'";
    return failure();
  }
  if (dropLoss && !inference) {
    error = "option '--drop-loss' needs '--inference'";
    return failure();
  }
  if (options.compileFrom && (dropLoss || !options.pipeline.batch.empty())) {
    error = std::string("option '--") + (dropLoss ? "drop-loss" : "batch") +
            "' is for stage import, which '--compile-from' leaves out";
    return failure();
  }
  options.pipeline.inference = inference;
  options.pipeline.dropLoss = dropLoss;
  options.pipeline.probe = probe;
  options.pipeline.werror = options.werror = werror;
  options.choosesPipeline |= inference || probe;
  options.remarks = remarks;
  return success();
}

LogicalResult OptionParser::readOnnx(Options &options,
                                     std::string &error) const {
  options.importOnnx = importOnnx;
  for (auto [row, text] : llvm::zip(onnx::optionRows(), onnxTexts)) {
    if (!text->getNumOccurrences())
      continue;
    if (!importOnnx) {
      error = "option '--" + row.name.str() + "' needs '--import-onnx'";
      return failure();
    }
    if (auto mistake = row.read(options.onnx, text->getValue())) {
      error = "--" + row.name.str() + "=" + text->getValue() + ": " + *mistake;
      return failure();
    }
  }
  return success();
}

FailureOr<Options> OptionParser::get(std::string &error) const {
  Options options;
  if (failed(readStages(options, error)) || failed(readTexts(options, error)) ||
      failed(readFlags(options, error)) || failed(readOnnx(options, error)))
    return failure();
  const char *fromEnvironment = std::getenv("MPC_DUMP");
  if (dumpDirectory.getNumOccurrences())
    options.dumpDirectory = dumpDirectory;
  else if (fromEnvironment)
    options.dumpDirectory = fromEnvironment;
  options.explain = explain;
  return options;
}

/// The row of an option of LLVM's command line.
static cli::OptionInfo describeRow(const cl::Option &option, bool isOurs) {
  cli::OptionInfo row;
  row.name = (option.ArgStr.size() == 1 ? "-" : "--") + option.ArgStr.str();
  row.help = option.HelpStr.str();
  row.metavar = StringRef(option.ValueStr).upper();
  row.group = isOurs ? "Compiler options" : "Options of mlir-opt";
  for (const PipelineOption &choice : pipelineOptions())
    if (isOurs && choice.name == option.ArgStr) {
      row.metavar = choice.metavar;
      row.group = choice.group.str();
      row.words = {choice.words.begin(), choice.words.end()};
    }
  for (const onnx::OptionRow &choice : onnx::optionRows())
    if (isOurs && choice.name == option.ArgStr) {
      row.metavar = choice.metavar.str();
      row.group = "Models in ONNX's format";
      row.words = {choice.words.begin(), choice.words.end()};
    }
  return row;
}

cli::ToolInfo OptionParser::describe() const {
  cli::CommandInfo command;
  command.tool = "mpc-opt";
  command.summary = "runs passes, stages and pipelines on graphs";
  command.details =
      "Runs passes, stages and pipelines on graphs. It is mlir-opt "
      "with the dialects and passes of mpc; --list-passes shows "
      "them all.";
  command.argument = "MODEL.mlir";
  command.endings = {".mlir", ".mlirbc", ".onnx"};
  for (auto &[name, option] : cl::getRegisteredOptions()) {
    bool isOurs = llvm::is_contained(option->Categories, &category);
    if (isOurs || (isKept(name) && !name.starts_with("help")))
      command.options.push_back(describeRow(*option, isOurs));
  }
  llvm::sort(command.options,
             [](const cli::OptionInfo &a, const cli::OptionInfo &b) {
               return std::tie(a.group, a.name) < std::tie(b.group, b.name);
             });
  cli::ToolInfo tool;
  tool.name = "mpc-opt";
  tool.version = MPC_VERSION;
  tool.summary = command.summary;
  tool.commands = {command};
  tool.environment = {{"MPC_DUMP", "as --dump-dir"}};
  tool.exitCodes = {{"0", "success"},
                    {"1", "a pass failed, or the command line is wrong in the "
                          "eyes of mlir-opt"},
                    {"2", "an option of the compiler is wrong"}};
  tool.examples = {{"mpc-opt model.mlir --compile-to=update --precision=fp16",
                    "Run the stages up to the update:"},
                   {"mpc-opt model.mlir --mpc-autocast", "Run one pass:"}};
  return tool;
}
