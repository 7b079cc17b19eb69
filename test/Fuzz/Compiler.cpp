#include "Compiler.h"
#include "Bytes.h"
#include "mlir/Parser/Parser.h"
#include "mpc/InitAll.h"

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
  mlir::ParserConfig config(&context);
  // Sources of MLIR end in a zero.
  std::string source(model);
  mlir::OwningOpRef<ModuleOp> module =
      mlir::parseSourceString<ModuleOp>(source, config);
  bool compiled = false;
  if (module) {
    mlir::PassManager pm(&context);
    buildPipeline(pm, from, to, options);
    compiled = succeeded(pm.run(*module));
  }
  require(compiled || errors > 0, "a diagnostic with each refusal");
}
