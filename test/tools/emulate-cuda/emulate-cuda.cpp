// emulate-cuda EXEC.mlir OUT.mpcx [ARCH]
//
// Makes a program for target "cuda" out of a model at stage exec, as
// mpc-compile would, but with kernels that run on the CPU in the place of
// cubins: the generated gpu.funcs of ARCH (sm_90) by test/Emulation. The
// plug-in EmulatedCuda runs such programs; a device never sees them.
#include "Emulation/EmulatedModule.h"
#include "mlir/Parser/Parser.h"
#include "mpc/InitAll.h"
#include "mpc/Target/ExportProgram.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mpc;

static FailureOr<program::ProgramT> build(ModuleOp module,
                                          const std::string &arch) {
  auto program = target::exportProgram(module, "cuda");
  if (failed(program))
    return failure();
  auto kernels = target::emitGpuKernels(module, {arch});
  if (failed(kernels))
    return failure();
  emulation::CompileOptions options;
  options.checksMemory = false; // test/Numerics/GpuKernels does that
  for (target::CudaKernels &set : kernels->sets) {
    auto object = emulation::compileKernels(set.module, options);
    if (failed(object))
      return failure();
    target::addCode(*program, std::vector<target::CudaCode>{
                                  {arch, std::move(set.kernels),
                                   std::move(*object), "emulated"}});
  }
  return program;
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    llvm::errs() << "usage: emulate-cuda EXEC.mlir OUT.mpcx [ARCH]\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = mlir::parseSourceFile<ModuleOp>(argv[1], sources,
                                                mlir::ParserConfig(&context));
  if (!module)
    return 1;
  auto program = build(*module, argc == 4 ? argv[3] : "sm_90");
  if (failed(program))
    return 1;
  Result<std::vector<uint8_t>> bytes = program::serialize(*program);
  Status status = bytes ? program::writeFile(argv[2], *bytes) : bytes.status();
  if (status.ok())
    return 0;
  llvm::errs() << "error: " << status.message() << "\n";
  return 1;
}
