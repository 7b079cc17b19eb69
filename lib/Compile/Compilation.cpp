#include "Groups.h"
#include "Import.h"
#include "Kernels.h"
#include "Progress.h"
#include "Reports.h"
#include "Source.h"
#include "mlir/Bytecode/BytecodeReader.h"
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
#include "mpc/Support/Pipe.h"
#include "mpc/Target/ExportProgram.h"
#include "mpc/Target/FatalErrors.h"
#include "mpc/Text/Module.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"

using namespace mpc;
using namespace mpc::compile;

namespace {

class Compilation {
public:
  Compilation(const Model &model, Options options, const Listener &listener);

  Exit run(Compiled &compiled);

private:
  Exit fail(Exit code, const Twine &message) {
    teller.tell(Severity::Error, message);
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
  void warnOfGroups(const graph::SettingTexts &texts,
                    const graph::TrainingSettings &settings);
  Exit takeGroups(mlir::func::FuncOp func, const graph::OverriddenModel &model,
                  graph::TrainingAttr training);
  Exit checkSettings();
  Exit runStages();
  FailureOr<program::ProgramT> buildProgram();
  Exit write(program::ProgramT &program, Compiled &compiled);

  const Model &model;
  Options options;
  Teller teller;
  PipelineOptions typed;   ///< Without what a program brings.
  SourceFiles sourceFiles; ///< Files that the options name.
  std::string source;      ///< The model at stage import.
  mlir::DialectRegistry registry;
  /// Passes run on the thread of the compilation, where what ends LLVM is
  /// caught, and kernels, which are what takes time, on threads of their own.
  llvm::SingleThreadExecutor executor{llvm::hardware_concurrency(1)};
  MLIRContext context;
  llvm::SourceMgr sources;
  std::unique_ptr<Diagnoser> handler;
  mlir::OwningOpRef<ModuleOp> module;
  onnx::Model imported; ///< Weights of a model in ONNX's format.
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

Compilation::Compilation(const Model &model, Options given,
                         const Listener &listener)
    : model(model), options(std::move(given)), teller(listener),
      typed(options.pipeline), registry(allDialects()),
      context(registry, MLIRContext::Threading::DISABLED), progress(teller) {
  context.setThreadPool(executor);
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
      if (failed(printPolicy(module, options.pipeline, teller.reports())))
        reportFailed = true;
    });
  if (options.printCasts)
    progress.onStage(Stage::Simplify, [this](ModuleOp module) {
      printCasts(module, teller.reports());
    });
  if (options.printSaved) {
    progress.onStage(Stage::Import, [this](ModuleOp module) {
      saved.atImport(module, options.pipeline.inference);
    });
    progress.onStage(Stage::Autodiff, [this](ModuleOp module) {
      saved.print(module, teller.reports());
    });
  }
  if (options.printMemory)
    progress.onStage(Stage::Exec, [this](ModuleOp module) {
      exec::MemoryMap::get(module).print(teller.reports());
    });
  if (options.printPeak)
    progress.onStage(Stage::Exec, [this](ModuleOp module) {
      exec::printPeak(module, teller.reports());
    });
  options.pipeline.onRefusedLimit = [this](ModuleOp planned) {
    if (options.printMemory)
      exec::MemoryMap::get(planned).print(teller.reports());
    if (options.printPeak)
      exec::printPeak(planned, teller.reports());
    teller.flushReports();
  };
}

/// The text of the model as it is after stage `import`, for the program.
void Compilation::keepSource() {
  if (!options.noSource && !options.pipeline.probe)
    progress.onStage(Stage::Import,
                     [this](ModuleOp module) { source = printModule(module); });
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
  teller.tell(Severity::Warning, message);
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
    if (Status status = checkReadable(path, named); !status.ok())
      return fail(Exit::BadInput, status.message());
  }
  return Exit::Ok;
}

/// A compilation goes on without its cache, but not silently.
target::ArtifactCache Compilation::openCache() {
  auto warn = [this](const std::string &message) {
    teller.tell(Severity::Warning,
                message + "; see --cache-dir and --shared-cache");
  };
  return target::ArtifactCache::open(options.cacheDirectory,
                                     options.sharedCache
                                         ? target::CacheTrust::Shared
                                         : target::CacheTrust::Private,
                                     warn);
}

/// A group has an optimizer of its own, which no option changes.
void Compilation::warnOfGroups(const graph::SettingTexts &texts,
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
  teller.tell(Severity::Warning,
              given +
                  ": for parameters that are in no group; groups keep the "
                  "optimizer that the model gives them: " +
                  groups);
}

/// From here on all that options say is the model's own.
Exit Compilation::takeGroups(mlir::func::FuncOp func,
                             const graph::OverriddenModel &model,
                             graph::TrainingAttr training) {
  if (!model.parts.update)
    return fail(Exit::Usage,
                "--groups=" + options.groups +
                    ": expected a step that changes state (a loss, "
                    "a parameter that is not frozen)");
  if (auto mistake =
          addGroups(options.groups, typed.training, model.parameters, training))
    return fail(Exit::Usage, "--groups=" + options.groups + ": " + *mistake);
  func->setAttr(graph::kTrainingAttr, training);
  options.pipeline.training.clear();
  return Exit::Ok;
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
    if (!options.groups.empty()) // to which what is said of the rest goes, too
      model.parts.manyGroups = model.parts.ungrouped = true;
    auto training = graph::overrideTraining(model, texts, &context, failure);
    if (succeeded(training)) {
      graph::TrainingSettings settings = graph::readSettings(*training);
      warnOfGroups(texts, settings);
      if (!options.groups.empty())
        if (Exit exit = takeGroups(func, model, *training); exit != Exit::Ok)
          return exit;
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
#ifndef MPC_ENABLE_ASSERTS
  pm.enableVerifier(false); // The gate of each stage does that.
#endif
  options.pipeline.report = &teller.reports();
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

Exit Compilation::write(program::ProgramT &program, Compiled &compiled) {
  if (!source.empty()) {
    auto made = makeSource(std::move(source), options);
    if (!made)
      return fail(Exit::Failed, llvm::toString(made.takeError()));
    program.source = std::move(*made);
  }
  std::vector<std::string> files = imported.files;
  takeWeights(std::move(imported), program, compiled);
  Result<std::vector<uint8_t>> written = program::serialize(program);
  if (!written)
    return fail(Exit::Failed, written.status().message());
  if (Exit exit = writeWeights(options, model, compiled, files, teller);
      exit != Exit::Ok)
    return exit;
  compiled.program = std::move(*written);
  progress.finish(Stage::Program, *module,
                  llvm::formatv("{0} kernels, {1}, {2} bytes",
                                program.kernels.size(), kernelReport,
                                compiled.program.size())
                      .str());
  return Exit::Ok;
}

/// The bytes of a model as the parser wants them: text with a 0 behind it,
/// bytecode where its constants may lie in place.
static std::unique_ptr<llvm::MemoryBuffer> toBuffer(const Model &model) {
  const llvm::Align page(4096);
  if (model.isTerminated && llvm::isAddrAligned(page, model.bytes.data()))
    return llvm::MemoryBuffer::getMemBuffer(model.bytes, model.name);
  auto copy = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      model.bytes.size(), model.name, page);
  if (copy)
    llvm::copy(model.bytes, copy->getBufferStart());
  return copy;
}

/// Whether bytes are those of other files, as arrays and archives: such text
/// would not be parsed, and a message would show it.
static bool isOther(const Model &model) {
  constexpr size_t kHeader = 64;
  return StringRef(model.bytes).take_front(kHeader).contains('\0') &&
         !mlir::isBytecode({model.bytes, model.name});
}

/// The model, or the source in a program file.
Exit Compilation::readModel() {
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  if (isForeign(model)) {
    if (Exit exit =
            importModel(model, options, context, teller, buffer, imported);
        exit != Exit::Ok)
      return exit;
  } else if (!options.onnxOption.empty()) {
    return fail(Exit::Usage, "'" + options.onnxOption +
                                 "' is for a model in ONNX's format, but '" +
                                 model.name + "' is none");
  } else if (!isProgramFile(model.bytes)) {
    if (isOther(model))
      return fail(Exit::BadInput,
                  "expected '" + model.name +
                      "' to be a model, text or bytecode of MLIR or in ONNX's "
                      "format, but it is something else");
    buffer = toBuffer(model);
  } else {
    if (!options.pipeline.probe)
      return fail(Exit::Usage,
                  "expected a model, but '" + model.name +
                      "' is a program file; only '--probe' compiles from one");
    auto text = readSource(model.bytes, model.name, options, sourceFiles);
    if (!text)
      return fail(Exit::BadInput, llvm::toString(text.takeError()));
    buffer = llvm::MemoryBuffer::getMemBufferCopy(*text, model.name);
  }
  if (!buffer)
    return fail(Exit::Failed, "no memory for a copy of the model");
  std::string error;
  if (failed(checkNesting(*buffer, error)))
    return fail(Exit::BadInput, error);
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return Exit::Ok;
}

Exit Compilation::run(Compiled &compiled) {
  if (Exit exit = findToolkit(); exit != Exit::Ok)
    return exit;
  if (Exit exit = findFiles(); exit != Exit::Ok)
    return exit;
  if (llvm::Error failed = keepPipes(options, sourceFiles))
    return fail(Exit::Failed, llvm::toString(std::move(failed)));
  if (Exit exit = readModel(); exit != Exit::Ok)
    return exit;
  handler = std::make_unique<Diagnoser>(sources, &context, teller);
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
  return write(*program, compiled);
}

} // namespace

Exit compile::compile(const Model &model, const Options &options,
                      const Listener &listener, Compiled &compiled) {
  target::FatalErrors fatalErrors;
  Exit exit = Exit::Failed;
  bool isFatal = false;
  llvm::Error failed = fatalErrors.run(
      [&] {
        // Here, so that it stays where it is if this fails fatally.
        Compiled made;
        Compilation compilation(model, options, listener);
        exit = target::FatalErrors::beforeUnwinding(
            [&] { return compilation.run(made); });
        if (exit == Exit::Ok)
          compiled = std::move(made);
        return llvm::Error::success();
      },
      isFatal);
  if (!failed)
    return exit;
  Teller(listener).tell(Severity::Error, llvm::toString(std::move(failed)));
  return Exit::Failed;
}
