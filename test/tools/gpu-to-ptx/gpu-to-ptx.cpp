// gpu-to-ptx KERNELS.mlir [--arch=sm_90,...] [--cache=FOLDER] [--cubin=FOLDER]
//
// Compiles every gpu.func of a file, each as a kernel of one stage, as the
// compiler would, prints the PTX of each module, and counts on standard error
// what was compiled and what came from the cache. With --cubin, writes
// <arch>.<n>.cubin. The toolkit is the one of --cuda, or found.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "mpc/Target/Cuda.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;
using namespace mpc::target;

namespace {

struct Arguments {
  std::string file, cuda, cubins;
  CudaOptions options;
};

Arguments parse(int argc, char **argv) {
  Arguments arguments;
  for (StringRef word : ArrayRef<char *>(argv + 1, argc - 1)) {
    auto value = [&](StringRef name) { return word.consume_front(name); };
    if (value("--arch=")) {
      arguments.options.archs.clear();
      for (StringRef arch : llvm::split(word, ','))
        arguments.options.archs.push_back(arch.str());
    } else if (value("--cache=")) {
      arguments.options.cache =
          ArtifactCache::open(word.str(), CacheTrust::Private);
    } else if (value("--cuda=")) {
      arguments.cuda = word.str();
    } else if (value("--cubin=")) {
      arguments.cubins = word.str();
    } else {
      arguments.file = word.str();
    }
  }
  return arguments;
}

/// The kernels of all gpu.modules of `module`, for each architecture.
std::vector<CudaKernels> collect(ModuleOp module, ArrayRef<std::string> archs) {
  std::vector<CudaKernels> sets;
  for (const std::string &arch : archs)
    for (auto kernels : module.getOps<mlir::gpu::GPUModuleOp>()) {
      CudaKernels &set = sets.emplace_back(CudaKernels{arch, kernels, {}});
      for (auto function : kernels.getOps<mlir::gpu::GPUFuncOp>()) {
        emit::GpuKernel launch;
        launch.stages.push_back({function.getName().str()});
        set.kernels.push_back({unsigned(set.kernels.size()), launch});
      }
    }
  return sets;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments = parse(argc, argv);
  auto toolkit = CudaToolkit::find(arguments.cuda);
  if (!toolkit) {
    llvm::errs() << "error: " << llvm::toString(toolkit.takeError()) << "\n";
    return 1;
  }
  arguments.options.toolkit = *toolkit;

  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::gpu::GPUDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect>();
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module =
      mlir::parseSourceFile<ModuleOp>(arguments.file, sources, &context);
  if (!module)
    return 1;
  CudaStatistics statistics;
  auto code = compileCudaKernels(collect(*module, arguments.options.archs),
                                 arguments.options, &statistics);
  llvm::errs() << statistics.kernelsCompiled << " kernels compiled, "
               << statistics.kernelsFromCache << " from the cache, "
               << statistics.modulesAssembled << " modules assembled, "
               << statistics.modulesFromCache << " from the cache\n";
  if (failed(code))
    return 1;
  for (auto [i, part] : llvm::enumerate(*code)) {
    llvm::outs() << part.ptx;
    if (arguments.cubins.empty())
      continue;
    std::error_code failed;
    llvm::raw_fd_ostream file(arguments.cubins + "/" + part.arch + "." +
                                  llvm::Twine(i).str() + ".cubin",
                              failed);
    file << llvm::toStringRef(ArrayRef<uint8_t>(part.cubin));
  }
  return 0;
}
