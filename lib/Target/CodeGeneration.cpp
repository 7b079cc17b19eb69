#include "CodeGeneration.h"
#include "mpc/Target/FatalErrors.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LowerExpectIntrinsic.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

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
    : context(context), before(context.getDiagnosticHandler()) {
  context.setDiagnosticHandler(std::make_unique<Collector>(errors));
}

mpc::target::KeptDiagnostics::~KeptDiagnostics() {
  context.setDiagnosticHandler(std::move(before));
}

llvm::Error mpc::target::KeptDiagnostics::takeErrors() {
  if (errors.empty())
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "LLVM: " + std::exchange(errors, ""));
}

namespace {
/// The analyses that passes ask for.
class Passes {
public:
  explicit Passes(llvm::TargetMachine &machine) : builder(&machine, tune()) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
  }
  llvm::PassBuilder &operator*() { return builder; }
  void run(llvm::ModulePassManager passes, llvm::Module &module) {
    mpc::target::FatalErrors::beforeUnwinding(
        [&] { passes.run(module, modules); });
  }

private:
  static llvm::PipelineTuningOptions tune() {
    llvm::PipelineTuningOptions tuning;
    tuning.LoopVectorization = false;
    tuning.SLPVectorization = false;
    tuning.LoopUnrolling = false;
    tuning.LoopInterleaving = false;
    return tuning;
  }

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
};
} // namespace

void mpc::target::optimizeKernel(llvm::Module &module,
                                 llvm::TargetMachine &machine) {
  Passes passes(machine);
  passes.run(
      (*passes).buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3),
      module);
}

void mpc::target::optimizeLoops(llvm::Module &module,
                                llvm::TargetMachine &machine) {
  auto hoist = [](bool rotates) {
    llvm::LoopPassManager loops;
    if (rotates)
      loops.addPass(llvm::LoopRotatePass());
    loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
    return llvm::createFunctionToLoopPassAdaptor(std::move(loops),
                                                 /*UseMemorySSA=*/true);
  };
  llvm::FunctionPassManager simplify;
  // Rounding to bf16 says which way is seldom taken.
  simplify.addPass(llvm::LowerExpectIntrinsicPass());
  simplify.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  simplify.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  simplify.addPass(llvm::SimplifyCFGPass());
  simplify.addPass(llvm::InstCombinePass());
  simplify.addPass(hoist(/*rotates=*/true));
  simplify.addPass(
      llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  simplify.addPass(llvm::GVNPass());
  simplify.addPass(llvm::InstCombinePass());
  simplify.addPass(hoist(/*rotates=*/false));
  simplify.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::AlwaysInlinerPass());
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(simplify)));
  all.addPass(llvm::GlobalDCEPass());
  Passes(machine).run(std::move(all), module);
}

llvm::Expected<llvm::SmallVector<char, 0>>
mpc::target::writeCode(llvm::Module &module, llvm::TargetMachine &machine,
                       llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  bool isKnown = mpc::target::FatalErrors::beforeUnwinding([&] {
    if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
      return false;
    passes.run(module);
    return true;
  });
  if (!isKnown)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "LLVM cannot write this kind of code for " +
                                       machine.getTargetCPU());
  return buffer;
}
