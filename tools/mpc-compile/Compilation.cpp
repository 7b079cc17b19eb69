#include "Compilation.h"
#include "Kernels.h"
#include "Progress.h"
#include "Reports.h"
#include "Source.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Exec/Analysis/MemoryMap.h"
#include "mpc/Dialect/Exec/Analysis/PeakBuffers.h"
#include "mpc/Dialect/Graph/Training/ApplySettings.h"
#include "mpc/Dialect/Graph/Transforms/DescribeModel.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/InitAll.h"
#include "mpc/Pipelines/DumpChanges.h"
#include "mpc/Pipelines/ReadModel.h"
#include "mpc/Target/ExportProgram.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"

using namespace mpc;
using namespace mpc::compile;

namespace {

class Compilation {
public:
  explicit Compilation(Options options);

  Exit run();

private:
  Exit fail(Exit code, const Twine &message) {
    llvm::errs() << "mpc-compile: error: " << message << "\n";
    return code;
  }
  void makeWarningsErrors();
  void showRemarks();
  void addReports();
  void keepSource();
  Exit findToolkit();
  Exit findFiles();
  Exit readModel();
  target::ArtifactCache openCache();
  Exit checkSettings();
  Exit runStages();
  FailureOr<program::ProgramT> buildProgram();
  Exit write(program::ProgramT &program);

  Options options;
  PipelineOptions typed;   ///< Without what a program brings.
  SourceFiles sourceFiles; ///< Files that the options name.
  std::string source;      ///< The model at stage import.
  mlir::DialectRegistry registry;
  MLIRContext context;
  llvm::SourceMgr sources;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> handler;
  mlir::OwningOpRef<ModuleOp> module;
  Progress progress;
  target::CudaToolkit toolkit;
  SavedReport saved;
  std::string kernelReport;
  bool warned = false, reportFailed = false, incompleteDump = false;
};

mlir::DialectRegistry allDialects() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

Compilation::Compilation(Options given)
    : options(std::move(given)), typed(options.pipeline),
      registry(allDialects()), context(registry),
      progress(options.time || llvm::sys::Process::StandardErrIsDisplayed()) {
  // A diagnostic names the op; a whole module after it would bury that.
  context.printOpOnDiagnostic(false);
}

void Compilation::makeWarningsErrors() {
  context.getDiagEngine().registerHandler([this](mlir::Diagnostic &warning) {
    if (warning.getSeverity() != mlir::DiagnosticSeverity::Warning)
      return failure();
    warned = true;
    InFlightDiagnostic error = mlir::emitError(warning.getLocation())
                               << warning.str();
    for (mlir::Diagnostic &note : warning.getNotes())
      error.attachNote(note.getLocation()) << note.str();
    return success();
  });
}

void Compilation::showRemarks() {
  mlir::remark::RemarkCategories all{".*", ".*", ".*", ".*", ".*"};
  (void)mlir::remark::enableOptimizationRemarks(
      context, nullptr,
      std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), all,
      /*printAsEmitRemarks=*/true);
}

void Compilation::addReports() {
  if (options.printPolicy)
    progress.onStage(Stage::Import, [this](ModuleOp module) {
      if (failed(printPolicy(module, options.pipeline, llvm::outs())))
        reportFailed = true;
    });
  if (options.printCasts)
    progress.onStage(Stage::Simplify,
                     [](ModuleOp module) { printCasts(module, llvm::outs()); });
  if (options.printSaved) {
    progress.onStage(Stage::Import, [this](ModuleOp module) {
      saved.atImport(module, options.pipeline.inference);
    });
    progress.onStage(Stage::Autodiff, [this](ModuleOp module) {
      saved.print(module, llvm::outs());
    });
  }
  if (options.printMemory || llvm::sys::Process::StandardErrIsDisplayed())
    progress.onStage(Stage::Exec, [](ModuleOp module) {
      exec::MemoryMap::get(module).print(llvm::outs());
    });
  if (options.printPeak)
    progress.onStage(Stage::Exec, [](ModuleOp module) {
      exec::printPeak(module, llvm::outs());
    });
  options.pipeline.onRefusedLimit = [this](ModuleOp planned) {
    if (options.printMemory)
      exec::MemoryMap::get(planned).print(llvm::outs());
    if (options.printPeak)
      exec::printPeak(planned, llvm::outs());
  };
}

/// The text of the model as it is after stage `import`, for the program.
void Compilation::keepSource() {
  if (!options.noSource && !options.pipeline.probe)
    progress.onStage(Stage::Import,
                     [this](ModuleOp module) { source = printSource(module); });
}

/// Before the work, so that nobody waits for a compilation that cannot end.
Exit Compilation::findToolkit() {
  if (options.pipeline.target != "cuda")
    return Exit::Ok;
  auto found = target::CudaToolkit::find(options.cudaPath);
  if (!found)
    return fail(Exit::Failed, llvm::toString(found.takeError()));
  toolkit = std::move(*found);
  if (!toolkit.ptxas.empty())
    return Exit::Ok;
  std::string message = "no bin/ptxas in the CUDA toolkit '" + toolkit.folder +
                        "': the program holds PTX alone, which the driver "
                        "compiles where it runs; set MPC_PTXAS to a ptxas";
  if (options.pipeline.werror)
    return fail(Exit::Failed, message);
  llvm::errs() << "mpc-compile: warning: " << message << "\n";
  return Exit::Ok;
}

/// The files that options name are there; what they hold is judged by the
/// passes that read them.
Exit Compilation::findFiles() {
  for (const PipelineOption &option : pipelineOptions()) {
    const std::string &path = option.field(options.pipeline);
    if (!option.isFile() || path.empty())
      continue;
    std::string named = ("--" + option.name + "=" + path).str();
    llvm::sys::fs::file_status facts;
    if (std::error_code failed = llvm::sys::fs::status(path, facts))
      return fail(Exit::BadInput,
                  named + ": cannot be read: " + failed.message());
    if (!is_regular_file(facts) &&
        facts.type() != llvm::sys::fs::file_type::fifo_file)
      return fail(Exit::BadInput,
                  named + ": expected a regular file or a pipe, but got a " +
                      (is_directory(facts) ? "directory" : "device"));
  }
  return Exit::Ok;
}

/// A compilation goes on without its cache, but not silently.
target::ArtifactCache Compilation::openCache() {
  auto warn = [](const std::string &message) {
    llvm::errs() << "mpc-compile: warning: " << message
                 << "; see --cache-dir and --shared-cache\n";
  };
  return target::ArtifactCache::open(options.cacheDirectory,
                                     options.sharedCache
                                         ? target::CacheTrust::Shared
                                         : target::CacheTrust::Private,
                                     warn);
}

/// A group has an optimizer of its own, which no option changes.
static void warnOfGroups(const graph::SettingTexts &texts,
                         const graph::TrainingSettings &settings) {
  std::string given, groups;
  auto add = [](std::string &list, StringRef name) {
    list += (list.empty() ? "'" : ", '") + name.str() + "'";
  };
  for (const graph::Setting &setting : graph::trainingSettings())
    if (texts.contains(setting.name.str()) &&
        (setting.field.part == graph::Part::OptimizerChoice ||
         setting.field.part == graph::Part::Hyperparameters))
      add(given, ("--" + setting.name).str());
  if (given.empty() || !settings.groups)
    return;
  for (auto group : settings.groups.getAsRange<graph::ParameterGroupAttr>())
    add(groups, group.getName());
  llvm::errs() << "mpc-compile: warning: " << given
               << ": for parameters that are in no group; groups keep the "
                  "optimizer that the model gives them: "
               << groups << "\n";
}

/// What the command line says about how to train is its own mistake where the
/// model alone is right.
Exit Compilation::checkSettings() {
  const graph::SettingTexts &texts = typed.training;
  for (auto func : module->getOps<mlir::func::FuncOp>()) {
    if (!graph::isModelFunction(func) || func->hasAttr(graph::kEntryAttr))
      continue;
    graph::OverrideFailure failure;
    graph::OverriddenModel model =
        graph::describeModel(func, options.pipeline.builtParts());
    auto training = graph::overrideTraining(model, texts, &context, failure);
    if (succeeded(training)) {
      graph::TrainingSettings settings = graph::readSettings(*training);
      warnOfGroups(texts, settings);
      auto unused = findUnused(typed, settings, model.parts);
      if (unused)
        return fail(Exit::Usage, *unused);
      continue;
    }
    std::string blamed;
    for (StringRef name : failure.blamed)
      blamed += (blamed.empty() ? "--" : ", --") + name.str() + "=" +
                texts.find(name)->second;
    return fail(Exit::Usage, blamed + ": " + failure.message);
  }
  return Exit::Ok;
}

Exit Compilation::runStages() {
  mlir::PassManager pm(&context);
  options.pipeline.report = &llvm::outs();
  buildPipeline(pm, std::nullopt, Stage::Exec, options.pipeline);
  std::string error;
  if (!options.dumpDirectory.empty() &&
      failed(dumpChanges(
          pm, options.dumpDirectory,
          sources.getMemoryBuffer(sources.getMainFileID())->getMemBufferRef(),
          incompleteDump, error)))
    return fail(Exit::Failed, error);
  progress.watch(pm);
  if (failed(pm.run(*module)) || warned || reportFailed)
    return Exit::BadInput;
  return incompleteDump ? Exit::Failed : Exit::Ok;
}

FailureOr<program::ProgramT> Compilation::buildProgram() {
  FailureOr<program::ProgramT> program =
      target::exportProgram(*module, options.pipeline.target);
  if (failed(program))
    return failure();
  auto report = addKernels(*module, options, toolkit, openCache(), *program);
  if (failed(report))
    return failure();
  kernelReport = std::move(*report);
  return program;
}

Exit Compilation::write(program::ProgramT &program) {
  if (!source.empty()) {
    auto made = makeSource(std::move(source), options);
    if (!made)
      return fail(Exit::Failed, llvm::toString(made.takeError()));
    program.source = std::move(*made);
  }
  Result<std::vector<uint8_t>> bytes = program::serialize(program);
  if (!bytes)
    return fail(Exit::Failed, bytes.status().message());
  Status written = program::writeFile(options.output, *bytes);
  if (!written.ok())
    return fail(Exit::Failed, written.message());
  progress.finish(Stage::Program, *module,
                  llvm::formatv("{0} kernels, {1}, {2} bytes",
                                program.kernels.size(), kernelReport,
                                bytes->size())
                      .str());
  return Exit::Ok;
}

/// The model as a file, or the source in a program file.
Exit Compilation::readModel() {
  std::string error;
  auto buffer = readFile(options.model, error);
  if (failed(buffer))
    return fail(Exit::BadInput, error);
  if (isProgramFile((*buffer)->getBuffer())) {
    if (!options.pipeline.probe)
      return fail(Exit::Usage,
                  "expected a model, but '" + options.model +
                      "' is a program file; only '--probe' compiles from one");
    auto text = readSource((*buffer)->getBuffer(), options, sourceFiles);
    if (!text)
      return fail(Exit::BadInput, llvm::toString(text.takeError()));
    buffer = llvm::MemoryBuffer::getMemBufferCopy(*text, options.model);
  }
  if (failed(checkNesting(**buffer, error)))
    return fail(Exit::BadInput, error);
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  return Exit::Ok;
}

Exit Compilation::run() {
  if (Exit exit = findToolkit(); exit != Exit::Ok)
    return exit;
  if (Exit exit = findFiles(); exit != Exit::Ok)
    return exit;
  if (llvm::Error failed = keepPipes(options, sourceFiles))
    return fail(Exit::Failed, llvm::toString(std::move(failed)));
  if (Exit exit = readModel(); exit != Exit::Ok)
    return exit;
  handler =
      std::make_unique<mlir::SourceMgrDiagnosticHandler>(sources, &context);
  if (options.pipeline.werror)
    makeWarningsErrors();
  if (options.verbose)
    showRemarks();
  addReports();
  keepSource();
  module =
      mlir::parseSourceFile<ModuleOp>(sources, mlir::ParserConfig(&context));
  if (!module)
    return Exit::BadInput;
  if (Exit exit = checkSettings(); exit != Exit::Ok)
    return exit;
  if (Exit exit = runStages(); exit != Exit::Ok)
    return exit;
  FailureOr<program::ProgramT> program = buildProgram();
  if (failed(program))
    return Exit::Failed;
  return write(*program);
}

} // namespace

Exit compile::run(const Options &options) { return Compilation(options).run(); }
