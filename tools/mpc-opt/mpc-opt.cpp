// Runs passes, stages and whole pipelines on graphs.
//
// It is mlir-opt for our dialects (`mpc-opt model.mlir --mpc-autocast`), with
// stages (`--compile-to=update --precision=fp16`) and dumps of every pass that
// changed something. It writes no reproducer that nobody asked for: a pass that
// fails names the op, and the model and the command line are at hand.
#include "../startup/CompilerTool.h"
#include "Explain.h"
#include "Options.h"
#include "mlir/IR/Diagnostics.h"
#include "mpc/CommandLine/Documents.h"
#include "mpc/CommandLine/Exit.h"
#include "mpc/InitAll.h"
#include "mpc/Pipelines/DumpChanges.h"
#include "mpc/Pipelines/ReadModel.h"
#include "mpc/Support/Links.h"
#include "mpc/Support/TemporaryFile.h"
#include "mpc/Text/Diagnostics.h"
#include "mpc/Text/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

#include <cerrno>
#include <span>
#include <unistd.h>

using namespace mpc;
using namespace mpc::opt;

namespace {

/// Switches that MlirOptMainConfig only sets from the command line.
struct Config final : mlir::MlirOptMainConfig {
  explicit Config(const mlir::MlirOptMainConfig &base)
      : MlirOptMainConfig(base) {}
  void showRemarks() { remarksAllFilterFlag = ".*"; }
};

LogicalResult fail(const Twine &message) {
  llvm::errs() << "mpc-opt: error: " << message << "\n";
  return failure();
}

/// What happened during a run that its result does not say.
struct Incidents {
  bool warned = false, incompleteDump = false;
};

/// Every warning of the context becomes an error, and `warned`.
void makeWarningsErrors(MLIRContext *context, Incidents &incidents) {
  context->getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Warning)
      return failure();
    incidents.warned = true;
    InFlightDiagnostic error = mlir::emitError(diagnostic.getLocation())
                               << diagnostic.str();
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      error.attachNote(note.getLocation()) << note.str();
    return success();
  });
}

/// What each run adds to the passes of the command line. `model` is the text,
/// if it is dumped.
LogicalResult setUp(mlir::PassManager &pm, const Options &options,
                    const mlir::MlirOptMainConfig &config,
                    const llvm::MemoryBuffer *model, Incidents &incidents) {
  if (failed(config.setupPassPipeline(pm)))
    return failure();
  if (options.compileTo) {
    PipelineOptions pipeline = options.pipeline;
    pipeline.report = &llvm::errs();
    buildPipeline(pm, options.compileFrom, *options.compileTo, pipeline);
  }
  std::string error;
  if (model &&
      failed(dumpChanges(pm, options.dumpDirectory, model->getMemBufferRef(),
                         incidents.incompleteDump, error)))
    return fail(error);
  if (options.werror)
    makeWarningsErrors(pm.getContext(), incidents);
  return success();
}

/// Through a temporary file, so that a full disk leaves the old one whole.
bool replaceFile(const std::string &path, StringRef text) {
  mpc::TemporaryFile file(path);
  return file.opened() &&
         file.write(std::as_bytes(std::span(text.data(), text.size()))) &&
         file.publish();
}

/// What is no regular file (a terminal, a pipe, a device) is written as it is.
LogicalResult writeOutput(StringRef path, StringRef text) {
  std::error_code failed;
  if (mpc::descriptorOf(path) == STDOUT_FILENO)
    path = "-";
  if (path != "-" &&
      (!llvm::sys::fs::exists(path) || llvm::sys::fs::is_regular_file(path))) {
    if (!replaceFile(path.str(), text))
      failed = std::error_code(errno, std::generic_category());
  } else {
    llvm::raw_fd_ostream file(path, failed);
    file << text;
    file.flush(); // errors of the disk come with the last write
    if (!failed)
      failed = file.error();
    file.clear_error();
  }
  if (failed)
    return fail("cannot write '" + path + "': " + failed.message());
  return success();
}

LogicalResult runExplain(StringRef input, StringRef output,
                         const Options &options) {
  std::string text;
  LogicalResult result = explain(input, options, text);
  if (!text.empty() && failed(writeOutput(output, text)))
    return failure();
  return result;
}

/// The model as the text that the rest works on, with its places.
FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
importOnnx(const llvm::MemoryBuffer &file, StringRef path,
           onnx::Options options) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer("", path),
                             llvm::SMLoc());
  SourceDiagnostics handler(sources, &context, llvm::errs());
  options.folder = onnx::folderOf(path);
  FailureOr<onnx::Model> model =
      onnx::importModel(file.getMemBufferRef(), options, context);
  if (failed(model))
    return failure();
  return llvm::MemoryBuffer::getMemBufferCopy(printModule(*model->module),
                                              path);
}

LogicalResult run(StringRef input, StringRef output, const Options &options) {
  if (!options.explain.empty())
    return runExplain(input, output, options);
  std::string error;
  auto buffer = readFile(input, error);
  if (succeeded(buffer) && options.importOnnx)
    buffer = importOnnx(**buffer, input, options.onnx);
  if (failed(buffer) || failed(checkNesting(**buffer, error)))
    return error.empty() ? failure() : fail(error);

  // MLIR takes the buffer, of which dumps read the names.
  std::unique_ptr<llvm::MemoryBuffer> model;
  if (!options.dumpDirectory.empty())
    model = llvm::MemoryBuffer::getMemBufferCopy(
        (*buffer)->getBuffer(), (*buffer)->getBufferIdentifier());
  Incidents incidents;
  auto base = mlir::MlirOptMainConfig::createFromCLOptions();
  Config config(base);
  if (options.remarks)
    config.showRemarks();
  config.setPassPipelineSetupFn([&](mlir::PassManager &pm) {
    return setUp(pm, options, base, model.get(), incidents);
  });
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  std::string text;
  llvm::raw_string_ostream stream(text);
  LogicalResult result =
      mlir::MlirOptMain(stream, std::move(*buffer), registry, config);
  if (failed(result) || incidents.warned || incidents.incompleteDump)
    return failure();
  return writeOutput(output, text);
}

} // namespace

int main(int argc, char **argv) {
  tools::CompilerTool started(
      "mpc-opt",
      "mpc-opt has crashed, which is a defect of mpc. Please report it with "
      "the model and what follows; "
      "--mlir-pass-pipeline-crash-reproducer=FILE.mlir, given beside the same "
      "options, writes the IR before the pass.\n",
      argc, argv);
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &stream) { stream << "mpc-opt " MPC_VERSION "\n"; });
  registerAllPasses();
  OptionParser parser;
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::registerCLIOptions("mpc-opt", registry);
  parser.hideForeignOptions();
  // The rest of --help is LLVM's.
  StringRef first = argc == 2 ? argv[1] : "";
  if (first == "--help=man" || first == "--help=bash") {
    llvm::outs() << (first == "--help=man"
                         ? cli::manPage(parser.describe())
                         : cli::bashCompletion(parser.describe()));
    return 0;
  }
  auto [input, output] =
      mlir::parseCLIOptions(argc, argv, OptionParser::header);
  OptionParser::leaveOutOps();
  std::string error;
  FailureOr<Options> options = parser.get(error);
  if (failed(options)) {
    llvm::errs() << "mpc-opt: error: " << error << "\n";
    return int(cli::Exit::Usage);
  }
  return mlir::asMainReturnCode(run(input, output, *options));
}
