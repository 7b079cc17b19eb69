// LLVM IR of one kernel -> PTX.
#include "../CodeGeneration.h"
#include "Lowering.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include <mutex>

using namespace mpc::target;
using llvm::StringRef;

static constexpr const char *kTriple = "nvptx64-nvidia-cuda";
/// The PTX version of CUDA 13.0, which has every architecture that we know.
static constexpr const char *kFeatures = "+ptx90";

static llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(StringRef arch) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple(kTriple);
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return error("LLVM has no NVPTX back end: " + message);
  llvm::TargetOptions options;
  // The CPU rounds every product; so do we.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, arch, kFeatures, options, std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

/// Adds what the module calls of libdevice to it.
static llvm::Error linkLibdevice(llvm::Module &module,
                                 llvm::MemoryBufferRef libdevice) {
  bool calls = llvm::any_of(module, [](const llvm::Function &function) {
    return function.isDeclaration() && function.getName().starts_with("__nv_");
  });
  if (!calls)
    return llvm::Error::success();
  auto library = llvm::getLazyBitcodeModule(libdevice, module.getContext());
  if (!library)
    return error("cannot read " + libdevice.getBufferIdentifier() + ": " +
                 llvm::toString(library.takeError()));
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  bool failed = llvm::Linker::linkModules(
      module, std::move(*library), llvm::Linker::LinkOnlyNeeded,
      [](llvm::Module &into, const llvm::StringSet<> &added) {
        llvm::internalizeModule(into, [&](const llvm::GlobalValue &value) {
          return !value.hasName() || !added.contains(value.getName());
        });
      });
  return failed ? error("cannot link libdevice") : llvm::Error::success();
}

/// Gives everything but kernels a name that no other module has.
static void renameLocals(llvm::Module &module, StringRef prefix) {
  for (llvm::GlobalValue &value : module.global_values()) {
    auto *function = llvm::dyn_cast<llvm::Function>(&value);
    bool isKernel =
        function && function->getCallingConv() == llvm::CallingConv::PTX_Kernel;
    bool isIntrinsic = function && function->isIntrinsic();
    if (!isKernel && !isIntrinsic && value.hasName())
      value.setName(prefix + "_" + value.getName());
  }
}

llvm::Expected<std::string>
mpc::target::emitPtx(llvm::Module &module, StringRef arch,
                     llvm::MemoryBufferRef libdevice, StringRef prefix) {
  KeptDiagnostics diagnostics(module.getContext());
  auto machine = createTargetMachine(arch);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple(llvm::Triple(kTriple));
  module.setDataLayout((*machine)->createDataLayout());
  if (llvm::Error failed = linkLibdevice(module, libdevice))
    return failed;
  // Subnormals are kept, in libdevice too.
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", 0u);
  for (llvm::Function &function : module) {
    function.addFnAttr("target-cpu", arch);
    function.addFnAttr("target-features", kFeatures);
    function.setDoesNotThrow();
  }
  optimizeKernel(module, **machine);
  renameLocals(module, prefix);

  auto written =
      writeCode(module, **machine, llvm::CodeGenFileType::AssemblyFile);
  if (!written)
    return written.takeError();
  if (llvm::Error failed = diagnostics.takeErrors())
    return failed;
  return std::string(written->begin(), written->end());
}
