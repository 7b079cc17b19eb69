// From a module of kernel functions to shared objects: each set of kernels that
// share their code on its own, in parallel, through the cache.
#include "EmitObject.h"
#include "KernelSets.h"
#include "Lowering.h"
#include "mpc/Target/Cpu.h"
#include "mpc/Target/FatalErrors.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <new>

using namespace mpc;
using namespace mpc::target;

/// Part of every cache key: a hash of the sources that decide what becomes of a
/// kernel's text.
static constexpr StringRef kLoweringVersion =
#include "LoweringVersion.inc"
    "/llvm-" LLVM_VERSION_STRING;

namespace {
/// Kernels with one code, on their way to one object per target.
struct Kernel {
  KernelSet set;
  mlir::OwningOpRef<ModuleOp> code;
  bool roundsToBFloat; ///< So it has code of its own for kV4WithBFloat.
  SmallVector<std::string> keys; ///< Per target.
  SmallVector<Bytes> objects;    ///< Per target; empty while missing.
  /// LLVM IR, while an object is missing.
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::string error;
  bool lacksMemory = false; ///< For a text of an error, too.

  InFlightDiagnostic emitError() const {
    mlir::func::FuncOp function = set.first();
    return function.emitError("kernel '") << function.getName() << "'";
  }
  StringRef compiledFor(StringRef target) const {
    return target == kV4WithBFloat && !roundsToBFloat ? kV4 : target;
  }
};
} // namespace

static std::string textOf(ModuleOp code) {
  std::string text;
  llvm::raw_string_ostream out(text);
  code->print(out, mlir::OpPrintingFlags().useLocalScope());
  return text;
}

static void findInCache(Kernel &kernel, const CpuOptions &options) {
  std::string text = textOf(*kernel.code) + kernel.set.describe();
  for (const std::string &target : options.targets) {
    kernel.keys.push_back(contentHash(kLoweringVersion.str() + "\n" +
                                      kernel.compiledFor(target).str() + "\n" +
                                      text) +
                          ".o");
    kernel.objects.push_back(
        options.cache.find(kernel.keys.back()).value_or(Bytes()));
  }
}

static bool isComplete(const Kernel &kernel) {
  return llvm::none_of(kernel.objects,
                       [](const Bytes &object) { return object.empty(); });
}

/// Lowers the code to LLVM IR, the same for all targets.
static LogicalResult translate(Kernel &kernel, LoweringToLLVM &lowering) {
  mlir::OwningOpRef<ModuleOp> module = std::move(kernel.code);
  return FatalErrors::beforeUnwinding([&]() -> LogicalResult {
    if (failed(expandMath(*module)) ||
        failed(expandStorageTypes(*module, BFloatRounding::ByCalls)) ||
        failed(lowering.run(*module, kernel.set)))
      return kernel.emitError() << " cannot be lowered for the CPU";
    kernel.context = std::make_unique<llvm::LLVMContext>();
    kernel.module = mlir::translateModuleToLLVMIR(*module, *kernel.context);
    if (!kernel.module)
      return kernel.emitError() << " cannot be translated to LLVM IR";
    return success();
  });
}

/// Emits object number `index` of a kernel, whose code is optimised.
static llvm::Error emitObject(Kernel &kernel, const llvm::Module &module,
                              size_t index, const CpuOptions &options) {
  auto copy = llvm::CloneModule(module);
  auto object = FatalErrors::beforeUnwinding([&] {
    return writeObject(*copy, kernel.compiledFor(options.targets[index]));
  });
  if (!object)
    return object.takeError();
  options.cache.store(kernel.keys[index], *object);
  kernel.objects[index] = std::move(*object);
  return llvm::Error::success();
}

/// Emits the missing objects of a kernel. Called by a worker thread: touches
/// nothing but the kernel.
static void emitObjects(Kernel &kernel, const CpuOptions &options,
                        const FatalErrors &fatalErrors) {
  auto emit = [&]() -> llvm::Error {
    // Here, so that they stay where they are if this fails fatally.
    auto context = std::move(kernel.context);
    auto module = std::move(kernel.module); // It is of the context.
    return FatalErrors::beforeUnwinding([&]() -> llvm::Error {
      if (llvm::Error failed = optimizeForAll(*module))
        return failed;
      for (size_t i = 0; i < options.targets.size(); ++i)
        if (kernel.objects[i].empty())
          if (llvm::Error failed = emitObject(kernel, *module, i, options))
            return failed;
      return llvm::Error::success();
    });
  };
  bool isFatal = false;
  if (llvm::Error failed = fatalErrors.run(emit, isFatal))
    kernel.error = llvm::toString(std::move(failed));
}

/// Links target number `index` of all kernels, through the cache.
static llvm::Expected<Bytes> link(ArrayRef<Kernel> kernels, size_t index,
                                  StringRef linker,
                                  const ArtifactCache &cache) {
  std::string keys;
  std::vector<Bytes> objects;
  for (const Kernel &kernel : kernels) {
    keys += kernel.keys[index];
    objects.push_back(kernel.objects[index]);
  }
  std::string key = contentHash(keys) + ".so";
  if (auto linked = cache.find(key))
    return std::move(*linked);
  if (linker.empty())
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "no linker: install the package lld-22, or set MPC_LLD to ld.lld");
  auto linked = linkObjects(objects, linker);
  if (linked)
    cache.store(key, *linked);
  return linked;
}

static LogicalResult compileAll(mlir::MLIRContext *context,
                                std::vector<Kernel> &kernels,
                                const CpuOptions &options) {
  FatalErrors fatalErrors;
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.threads));
  LoweringToLLVM lowering(context);
  LogicalResult translated = success();
  for (Kernel &kernel : kernels) {
    if (isComplete(kernel))
      continue;
    if (failed(translate(kernel, lowering))) {
      translated = failure();
      break;
    }
    pool.async([&] {
      try {
        emitObjects(kernel, options, fatalErrors);
      } catch (const std::bad_alloc &) {
        kernel.lacksMemory = true;
      }
    });
  }
  pool.wait();
  for (Kernel &kernel : kernels) {
    if (kernel.lacksMemory)
      return kernel.emitError() << ": " << FatalErrors::kNoMemory;
    if (!kernel.error.empty())
      return kernel.emitError() << ": " << kernel.error;
  }
  return translated;
}

/// The name of the section of code for `target`: what it needs of a processor.
static std::string sectionName(ArrayRef<Kernel> kernels, StringRef target) {
  bool isPlain = llvm::none_of(kernels, [&](const Kernel &kernel) {
    return kernel.compiledFor(target) == target;
  });
  return (isPlain && target == kV4WithBFloat ? kV4 : target).str();
}

FailureOr<std::vector<CpuCode>>
mpc::target::compileCpuKernels(ModuleOp module, const CpuOptions &options,
                               CpuStatistics *statistics) {
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  std::vector<Kernel> kernels;
  for (KernelSet &set : findKernelSets(module)) {
    Kernel &kernel = kernels.emplace_back();
    kernel.set = std::move(set);
    kernel.code = kernel.set.buildCode();
    kernel.roundsToBFloat = roundsVectorsToBFloat(kernel.set.first());
    findInCache(kernel, options);
    for (const Bytes &object : kernel.objects)
      if (statistics)
        ++(object.empty() ? statistics->objectsCompiled
                          : statistics->objectsFromCache);
  }
  if (failed(compileAll(module.getContext(), kernels, options)))
    return failure();

  std::string linker = options.linker.empty() ? findLinker() : options.linker;
  std::vector<CpuCode> code;
  for (size_t i = 0; i < options.targets.size(); ++i) {
    auto linked = link(kernels, i, linker, options.cache);
    if (!linked) {
      module.emitError(llvm::toString(linked.takeError()));
      return failure();
    }
    code.push_back(
        {sectionName(kernels, options.targets[i]), std::move(*linked)});
  }
  return code;
}
