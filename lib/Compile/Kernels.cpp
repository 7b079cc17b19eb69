#include "Kernels.h"
#include "mpc/Target/ExportProgram.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mpc;

static FailureOr<std::string> addCpu(ModuleOp module,
                                     const target::ArtifactCache &cache,
                                     program::ProgramT &program) {
  auto loops = target::emitKernels(module);
  if (failed(loops))
    return failure();
  target::CpuOptions cpu;
  cpu.cache = cache;
  target::CpuStatistics statistics;
  auto code = target::compileCpuKernels(**loops, cpu, &statistics);
  if (failed(code))
    return failure();
  target::addCode(program, std::move(*code));
  return llvm::formatv("{0} objects compiled, {1} from the cache",
                       statistics.objectsCompiled, statistics.objectsFromCache)
      .str();
}

static FailureOr<std::string> addCuda(ModuleOp module,
                                      const compile::Options &options,
                                      const target::CudaToolkit &toolkit,
                                      const target::ArtifactCache &cache,
                                      program::ProgramT &program) {
  auto kernels = target::emitGpuKernels(module, options.archs);
  if (failed(kernels))
    return failure();
  target::CudaOptions cuda;
  cuda.toolkit = toolkit;
  cuda.cache = cache;
  target::CudaStatistics statistics;
  auto code = target::compileCudaKernels(kernels->sets, cuda, &statistics);
  if (failed(code))
    return failure();
  target::addCode(program, std::move(*code));
  return llvm::formatv("{0} compiled to PTX, {1} from the cache, {2} modules "
                       "assembled, {3} from the cache",
                       statistics.kernelsCompiled, statistics.kernelsFromCache,
                       statistics.modulesAssembled, statistics.modulesFromCache)
      .str();
}

FailureOr<std::string> compile::addKernels(ModuleOp module,
                                           const Options &options,
                                           const target::CudaToolkit &toolkit,
                                           const target::ArtifactCache &cache,
                                           program::ProgramT &program) {
  if (program.kernels.empty())
    return std::string("nothing to compile");
  auto report = options.pipeline.target == "cuda"
                    ? addCuda(module, options, toolkit, cache, program)
                    : addCpu(module, cache, program);
  if (failed(report) || failed(target::verifySymbols(program, module.getLoc())))
    return failure();
  return report;
}
