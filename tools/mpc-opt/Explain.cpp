#include "Explain.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mpc/InitAll.h"
#include "mpc/Pipelines/Explain.h"
#include "mpc/Pipelines/ReadModel.h"
#include "llvm/Support/SourceMgr.h"

using namespace mpc;
using namespace mpc::opt;

static LogicalResult fail(const Twine &message) {
  llvm::errs() << "mpc-opt: error: " << message << "\n";
  return failure();
}

/// The passes that are named, or all stages.
static LogicalResult addPasses(mlir::PassManager &pm, const Options &options) {
  if (failed(
          mlir::MlirOptMainConfig::createFromCLOptions().setupPassPipeline(pm)))
    return failure();
  if (options.compileTo)
    buildPipeline(pm, options.compileFrom, *options.compileTo,
                  options.pipeline);
  else if (pm.empty())
    buildPipeline(pm, std::nullopt, Stage::Exec, options.pipeline);
  else if (options.choosesPipeline)
    return fail("options of the pipeline need '--compile-to' beside passes; a "
                "single pass takes its options as --pass=\"name=value\"");
  return success();
}

/// The module of a file: the one that it spells, or one around its ops.
static mlir::OwningOpRef<ModuleOp> moduleOf(Block &block,
                                            MLIRContext &context) {
  if (llvm::hasSingleElement(block))
    if (auto module = dyn_cast<ModuleOp>(block.front())) {
      module->remove();
      return module;
    }
  auto module = ModuleOp::create(mlir::UnknownLoc::get(&context));
  Block *body = module.getBody();
  body->getOperations().splice(body->end(), block.getOperations());
  return module;
}

LogicalResult opt::explain(StringRef input, const Options &options,
                           std::string &output) {
  std::string error;
  llvm::SourceMgr sources;
  auto buffer = readFile(input, error);
  if (failed(buffer) || failed(checkNesting(**buffer, error)))
    return fail(error);
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());

  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  Block block;
  mlir::AsmParserState names;
  if (failed(mlir::parseAsmSourceFile(sources, &block,
                                      mlir::ParserConfig(&context), &names)))
    return failure();
  mlir::OwningOpRef<ModuleOp> module = moduleOf(block, context);
  auto values = watchValues(names, options.explain, error);
  if (failed(values))
    return fail(error);
  mlir::PassManager pm(&context);
  if (failed(addPasses(pm, options)))
    return failure();
  Explanation explanation(std::move(*values), *module, pm);
  LogicalResult result = pm.run(*module);
  llvm::raw_string_ostream stream(output);
  explanation.print(stream);
  return result;
}
