// The loops of every kernel of a program.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Emit/CpuEmitter.h"
#include "mpc/Target/ExportProgram.h"

using namespace mpc;

FailureOr<mlir::OwningOpRef<ModuleOp>> target::emitKernels(ModuleOp module) {
  module.getContext()
      ->loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                    mlir::math::MathDialect, mlir::memref::MemRefDialect,
                    mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  mlir::OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  auto builder = OpBuilder::atBlockEnd(kernels->getBody());
  for (auto kernel : module.getOps<exec::KernelOp>()) {
    emit::CpuEmitOptions options;
    options.strictRounding = kernel.getStrict();
    builder.setInsertionPointToEnd(kernels->getBody());
    if (failed(emit::emitCpuKernel(builder, kernel.getGroup(),
                                   kernel.getSymName(), options)))
      return failure();
  }
  return kernels;
}

static LogicalResult emitFor(const GpuDescription &gpu, ModuleOp module,
                             ModuleOp into, target::GpuKernels &kernels) {
  auto builder = OpBuilder::atBlockEnd(into.getBody());
  auto gpuModule =
      mlir::gpu::GPUModuleOp::create(builder, module.getLoc(), gpu.arch);
  builder.setInsertionPointToEnd(gpuModule.getBody());
  target::CudaKernels &set = kernels.sets.emplace_back();
  set.arch = gpu.arch;
  set.module = gpuModule;
  for (auto kernel : module.getOps<exec::KernelOp>()) {
    auto launch =
        emit::emitGpuKernel(builder, kernel.getGroup(), kernel.getSymName(),
                            {&gpu, kernel.getStrict()});
    if (failed(launch))
      return failure();
    set.kernels.push_back({unsigned(set.kernels.size()), std::move(*launch)});
  }
  return success();
}

FailureOr<target::GpuKernels>
target::emitGpuKernels(ModuleOp module, ArrayRef<std::string> archs) {
  module.getContext()->loadDialect<mlir::gpu::GPUDialect>();
  GpuKernels kernels{ModuleOp::create(module.getLoc()), {}};
  for (const std::string &arch : archs)
    if (failed(emitFor(*findGpu(arch), module, *kernels.module, kernels)))
      return failure();
  return kernels;
}
