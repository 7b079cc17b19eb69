#include "CodeGeneration.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace {
class Collector final : public llvm::DiagnosticHandler {
public:
  explicit Collector(std::string &errors) : errors(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream stream(errors);
    if (!errors.empty())
      stream << "; ";
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

private:
  std::string &errors;
};
} // namespace

mpc::target::KeptDiagnostics::KeptDiagnostics(llvm::LLVMContext &context)
    : context(context) {
  context.setDiagnosticHandler(std::make_unique<Collector>(errors));
}

mpc::target::KeptDiagnostics::~KeptDiagnostics() {
  context.setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
}

llvm::Error mpc::target::KeptDiagnostics::takeErrors() {
  if (errors.empty())
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "LLVM: " + std::exchange(errors, ""));
}

void mpc::target::optimizeKernel(llvm::Module &module,
                                 llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

llvm::Expected<llvm::SmallVector<char, 0>>
mpc::target::writeCode(llvm::Module &module, llvm::TargetMachine &machine,
                       llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "LLVM cannot write this kind of code for " +
                                       machine.getTargetCPU());
  passes.run(module);
  return buffer;
}
