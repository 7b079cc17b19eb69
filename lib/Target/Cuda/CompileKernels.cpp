// From GPU kernels to PTX, each on its own, and from PTX to cubins, several
// kernels at a time; in parallel, through the cache.
#include "Lowering.h"
#include "mpc/Target/Cuda.h"
#include "mpc/Target/FatalErrors.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ThreadPool.h"

using namespace mpc;
using namespace mpc::target;
namespace gpu = mlir::gpu;

/// Part of every cache key: a hash of the sources that decide what becomes of a
/// kernel's text.
static constexpr StringRef kLoweringVersion =
#include "LoweringVersion.inc"
    "/llvm-" LLVM_VERSION_STRING;

/// Kernels per cubin. ptxas takes 10 ms to start; fewer modules than cores
/// would leave cores idle.
static constexpr size_t kKernelsPerModule = 8;

namespace {

/// One kernel on its way to PTX.
struct Translation {
  const CudaKernel *kernel = nullptr;
  const GpuDescription *gpu = nullptr;
  gpu::GPUFuncOp source;                      // its first stage
  mlir::OwningOpRef<gpu::GPUModuleOp> module; // a copy of its stages
  std::string key, ptx, error;

  StringRef name() const { return kernel->launch.stages[0].symbol; }
};

/// Some kernels of one architecture on their way to a cubin.
struct Assembly {
  CudaCode code;
  Location location;
  std::string key, error;
};

class Compiler {
public:
  Compiler(const CudaOptions &options, MLIRContext &context)
      : options(options), context(context) {}

  FailureOr<std::vector<CudaCode>> run(ArrayRef<CudaKernels> sets);

  CudaStatistics statistics;

private:
  LogicalResult readTools(Location location);
  LogicalResult addTranslations(const CudaKernels &set);
  LogicalResult translateAll();
  void translate(Translation &translation);
  void addAssemblies(const CudaKernels &set,
                     ArrayRef<Translation> translations);
  bool findInCache(Assembly &assembly);
  LogicalResult assembleAll();
  void assembleOne(Assembly &assembly);
  /// Calls `work` with each number below `count`, on several threads.
  void parallelFor(size_t count, llvm::function_ref<void(size_t)> work);

  const CudaOptions &options;
  MLIRContext &context;
  Bytes libdevice;
  std::string toolchain; // part of the keys of PTX
  std::string assembler; // part of the keys of cubins
  std::vector<Translation> translations;
  std::vector<Assembly> assemblies;
  FatalErrors fatalErrors;
};

} // namespace

/// "sm_80, sm_86, ..."
static std::string knownArchs() {
  std::string names;
  for (const GpuDescription &gpu : knownGpus())
    names += (names.empty() ? "" : ", ") + std::string(gpu.arch);
  return names;
}

static std::string textOf(gpu::GPUModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module->print(out, mlir::OpPrintingFlags().useLocalScope());
  return text;
}

void Compiler::parallelFor(size_t count,
                           llvm::function_ref<void(size_t)> work) {
  unsigned threads = context.isMultithreadingEnabled() ? options.threads : 1;
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(threads));
  // Diagnostics in the order of the numbers, whichever thread is first.
  mlir::ParallelDiagnosticHandler diagnostics(&context);
  context.enterMultiThreadedExecution();
  for (size_t i = 0; i < count; ++i)
    pool.async([&, i] {
      FatalErrors::Helper helper(fatalErrors);
      FatalErrors::beforeUnwinding([&] {
        diagnostics.setOrderIDForThread(i);
        work(i);
        diagnostics.eraseOrderIDForThread();
      });
    });
  pool.wait();
  context.exitMultiThreadedExecution();
}

LogicalResult Compiler::readTools(Location location) {
  auto bitcode = readFile(options.toolkit.libdevice);
  if (!bitcode)
    return mlir::emitError(location) << llvm::toString(bitcode.takeError());
  libdevice = std::move(*bitcode);
  toolchain = kLoweringVersion.str() + "/" +
              contentHash(llvm::toStringRef(ArrayRef<uint8_t>(libdevice)));
  if (options.toolkit.ptxas.empty())
    return success();
  auto version = ptxasVersion(options.toolkit.ptxas);
  if (!version)
    return mlir::emitError(location) << llvm::toString(version.takeError());
  assembler = kLoweringVersion.str() + "/" + *version;
  return success();
}

/// Whether PTX can call a kernel so.
static bool isPtxName(StringRef name) {
  return !name.empty() && !llvm::isDigit(name[0]) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Puts a copy of the stages of the kernel into a module of their own.
static LogicalResult copyStages(gpu::GPUModuleOp from,
                                Translation &translation) {
  OpBuilder builder(from.getContext());
  translation.module =
      gpu::GPUModuleOp::create(builder, from.getLoc(), "kernel");
  builder.setInsertionPointToStart(translation.module->getBody());
  for (const emit::GpuStage &stage : translation.kernel->launch.stages) {
    auto function = from.lookupSymbol<gpu::GPUFuncOp>(stage.symbol);
    if (!function)
      return from.emitError("expected a gpu.func @")
             << stage.symbol << ", but the module has none";
    if (!isPtxName(stage.symbol))
      return function.emitError("expected a name of letters, digits and _, as "
                                "PTX has them, but got '")
             << stage.symbol << "'";
    if (!translation.source)
      translation.source = function;
    builder.clone(*function);
  }
  return success();
}

LogicalResult Compiler::addTranslations(const CudaKernels &set) {
  auto module = set.module;
  const GpuDescription *gpu = findGpu(set.arch);
  if (!gpu)
    return module.emitError("expected one of the architectures ")
           << knownArchs() << ", but got '" << set.arch << "'";
  for (const CudaKernel &kernel : set.kernels) {
    Translation &translation = translations.emplace_back();
    translation.kernel = &kernel;
    translation.gpu = gpu;
    if (failed(copyStages(module, translation)))
      return failure();
    translation.key = contentHash(toolchain + "\n" + set.arch + "\n" +
                                  textOf(*translation.module)) +
                      ".ptx";
    if (auto found = options.cache.find(translation.key))
      translation.ptx.assign(found->begin(), found->end());
    ++(translation.ptx.empty() ? statistics.kernelsCompiled
                               : statistics.kernelsFromCache);
  }
  return success();
}

/// Runs on a worker thread: touches nothing but the translation.
void Compiler::translate(Translation &translation) {
  if (failed(lowerToNVVM(*translation.module, *translation.gpu))) {
    translation.error = "cannot be lowered";
    return;
  }
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  auto code = mlir::translateModuleToLLVMIR(*translation.module, *llvmContext);
  if (!code) {
    translation.error = "cannot be translated to LLVM IR";
    return;
  }
  llvm::MemoryBufferRef library(llvm::toStringRef(ArrayRef<uint8_t>(libdevice)),
                                options.toolkit.libdevice);
  bool isFatal = false;
  auto emit = [&]() -> llvm::Error {
    // Here, so that they stay where they are if this fails fatally.
    auto context = std::move(llvmContext);
    auto module = std::move(code);
    auto ptx = FatalErrors::beforeUnwinding([&] {
      return emitPtx(*module, translation.gpu->arch, library,
                     translation.name());
    });
    if (!ptx)
      return ptx.takeError();
    translation.ptx = std::move(*ptx);
    return llvm::Error::success();
  };
  if (llvm::Error failed = fatalErrors.run(emit, isFatal)) {
    translation.error = llvm::toString(std::move(failed));
    return;
  }
  options.cache.store(translation.key,
                      llvm::arrayRefFromStringRef(translation.ptx));
}

LogicalResult Compiler::translateAll() {
  SmallVector<Translation *> missing;
  for (Translation &translation : translations)
    if (translation.ptx.empty())
      missing.push_back(&translation);
  parallelFor(missing.size(), [&](size_t i) { translate(*missing[i]); });
  for (Translation *translation : missing)
    if (!translation->error.empty())
      return translation->source.emitError("kernel '")
             << translation->name() << "' for " << translation->gpu->arch
             << ": " << translation->error;
  return success();
}

void Compiler::addAssemblies(const CudaKernels &set,
                             ArrayRef<Translation> translations) {
  for (; !translations.empty(); translations = translations.drop_front(std::min(
                                    kKernelsPerModule, translations.size()))) {
    auto part = translations.take_front(kKernelsPerModule);
    Assembly assembly{{set.arch, {}, {}, {}},
                      gpu::GPUFuncOp(part[0].source).getLoc(),
                      {},
                      {}};
    SmallVector<StringRef> ptx;
    for (const Translation &translation : part) {
      assembly.code.kernels.push_back(*translation.kernel);
      ptx.push_back(translation.ptx);
    }
    assembly.code.ptx = joinPtx(ptx);
    assemblies.push_back(std::move(assembly));
  }
}

/// Runs on a worker thread: touches nothing but the assembly.
void Compiler::assembleOne(Assembly &assembly) {
  CudaCode &code = assembly.code;
  auto cubin = assemble(code.ptx, code.arch, options.toolkit.ptxas);
  if (!cubin) {
    assembly.error = llvm::toString(cubin.takeError());
    return;
  }
  code.cubin = std::move(*cubin);
  options.cache.store(assembly.key + ".ptx",
                      llvm::arrayRefFromStringRef(code.ptx));
  options.cache.store(assembly.key + ".cubin", code.cubin);
}

bool Compiler::findInCache(Assembly &assembly) {
  auto cubin = options.cache.find(assembly.key + ".cubin");
  auto ptx = options.cache.find(assembly.key + ".ptx");
  if (!cubin || !ptx)
    return false;
  assembly.code.cubin = std::move(*cubin);
  assembly.code.ptx.assign(ptx->begin(), ptx->end());
  return true;
}

LogicalResult Compiler::assembleAll() {
  SmallVector<Assembly *> missing;
  for (Assembly &assembly : assemblies) {
    assembly.key = contentHash(assembler + "\n" + assembly.code.arch + "\n" +
                               assembly.code.ptx);
    if (findInCache(assembly))
      ++statistics.modulesFromCache;
    else
      missing.push_back(&assembly);
  }
  statistics.modulesAssembled = missing.size();
  parallelFor(missing.size(), [&](size_t i) { assembleOne(*missing[i]); });
  for (Assembly *assembly : missing)
    if (!assembly->error.empty())
      return mlir::emitError(assembly->location) << assembly->error;
  return success();
}

FailureOr<std::vector<CudaCode>> Compiler::run(ArrayRef<CudaKernels> sets) {
  auto first = sets.front().module;
  if (failed(readTools(first.getLoc())))
    return failure();
  for (const CudaKernels &set : sets)
    if (failed(addTranslations(set)))
      return failure();
  if (failed(translateAll()))
    return failure();
  ArrayRef<Translation> rest = translations;
  for (const CudaKernels &set : sets) {
    addAssemblies(set, rest.take_front(set.kernels.size()));
    rest = rest.drop_front(set.kernels.size());
  }
  if (!options.toolkit.ptxas.empty() && failed(assembleAll()))
    return failure();
  std::vector<CudaCode> code;
  for (Assembly &assembly : assemblies)
    code.push_back(std::move(assembly.code));
  return code;
}

FailureOr<std::vector<CudaCode>>
mpc::target::compileCudaKernels(ArrayRef<CudaKernels> kernels,
                                const CudaOptions &options,
                                CudaStatistics *statistics) {
  if (kernels.empty())
    return std::vector<CudaCode>();
  auto module = kernels.front().module;
  prepareForNVVM(*module.getContext());
  Compiler compiler(options, *module.getContext());
  auto code = compiler.run(kernels);
  if (statistics)
    *statistics = compiler.statistics;
  return code;
}
