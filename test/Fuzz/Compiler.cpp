#include "Compiler.h"
#include "Bytes.h"
#include "mlir/Parser/Parser.h"
#include "mpc/InitAll.h"
#include "mpc/Pipelines/ReadModel.h"
#include "llvm/Support/SourceMgr.h"

using namespace mpc;
using namespace mpc::fuzz;

static mlir::DialectRegistry allDialects() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

Compiler::Compiler()
    : context(allDialects(), mlir::MLIRContext::Threading::DISABLED) {
  context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
    return success();
  });
}

void Compiler::compile(std::string_view model, std::optional<Stage> from,
                       Stage to, const PipelineOptions &options) {
  errors = 0;
  // Sources of MLIR end in a zero.
  auto text = llvm::MemoryBuffer::getMemBufferCopy({model.data(), model.size()},
                                                   "model.mlir");
  std::string error;
  if (failed(checkNesting(*text, error))) {
    require(!error.empty(), "a message with each refusal");
    return;
  }
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  mlir::OwningOpRef<ModuleOp> module =
      mlir::parseSourceFile<ModuleOp>(source, &context);
  bool compiled = false;
  if (module) {
    mlir::PassManager pm(&context);
    buildPipeline(pm, from, to, options);
    compiled = succeeded(pm.run(*module));
  }
  require(compiled || errors > 0, "a diagnostic with each refusal");
}
