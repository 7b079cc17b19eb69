#include "EmitObject.h"
#include "../CodeGeneration.h"
#include "RoundBFloat.h"
#include "mpc/Target/Cpu.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mpc::target;
using llvm::StringRef;

static constexpr const char *kTriple = "x86_64-unknown-linux-gnu";

namespace {
struct Processor {
  StringRef name, level, features; ///< The last two as LLVM calls them.
};
} // namespace

// 512-bit vectors where the instruction set has them: kernels stream memory.
static constexpr Processor kProcessors[] = {
    {kV3, kV3, ""},
    {kV4, kV4, "-prefer-256-bit"},
    {kV4WithBFloat, kV4, "-prefer-256-bit,+avx512bf16"}};

/// Null if there is none of that name.
static const Processor *findProcessor(StringRef name) {
  const auto *found = llvm::find_if(
      kProcessors, [&](const Processor &known) { return known.name == name; });
  return found == std::end(kProcessors) ? nullptr : found;
}

static llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const Processor &processor) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  llvm::Triple triple(kTriple);
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return error("LLVM has no x86-64 back end: " + message);
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, processor.level, processor.features, options, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// A kernel that calls out would fail at load time on somebody else's
/// machine; find it now.
static llvm::Error checkSelfContained(StringRef object) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(object, "kernel"));
  if (!file)
    return file.takeError();
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name)
      return error("generated object has a damaged symbol table");
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty())
      return error("kernel calls '" + *name +
                   "', but kernels must be self-contained");
  }
  return llvm::Error::success();
}

/// Makes the code of `module` that of `processor`.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
aimAt(const Processor &processor, llvm::Module &module) {
  auto machine = createTargetMachine(processor);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple(llvm::Triple(kTriple));
  module.setDataLayout((*machine)->createDataLayout());
  for (llvm::Function &function : module) {
    function.addFnAttr("target-cpu", processor.level);
    function.addFnAttr("target-features", (*machine)->getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("no-builtins"); // no loop may become a call of memset
    function.setDoesNotThrow();
  }
  return machine;
}

llvm::Error mpc::target::optimizeForAll(llvm::Module &module) {
  KeptDiagnostics diagnostics(module.getContext());
  auto machine = aimAt(kProcessors[0], module);
  if (!machine)
    return machine.takeError();
  declareRounding(module);
  optimizeLoops(module, **machine);
  return diagnostics.takeErrors();
}

llvm::Expected<Bytes> mpc::target::writeObject(llvm::Module &module,
                                               StringRef cpu) {
  const Processor *processor = findProcessor(cpu);
  if (!processor)
    return error("expected x86-64-v3, x86-64-v4 or x86-64-v4-bf16, but got '" +
                 cpu + "'");
  KeptDiagnostics diagnostics(module.getContext());
  auto machine = aimAt(*processor, module);
  if (!machine)
    return machine.takeError();
  inlineRounding(module, cpu == kV4WithBFloat);
  auto written =
      writeCode(module, **machine, llvm::CodeGenFileType::ObjectFile);
  if (!written)
    return written.takeError();
  if (llvm::Error failed = diagnostics.takeErrors())
    return failed;
  StringRef object(written->data(), written->size());
  if (llvm::Error failed = checkSelfContained(object))
    return failed;
  return Bytes(written->begin(), written->end());
}

llvm::Expected<Bytes> mpc::target::emitObject(llvm::Module &module,
                                              StringRef cpu) {
  if (llvm::Error failed = optimizeForAll(module))
    return std::move(failed);
  return writeObject(module, cpu);
}
