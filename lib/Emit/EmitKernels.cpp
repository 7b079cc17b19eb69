// Purpose: show the kernels of a module's groups; see Passes.td.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Emit/CpuEmitter.h"
#include "mpc/Emit/GpuEmitter.h"
#include "mpc/Emit/Passes.h"

namespace mpc::emit {
#define GEN_PASS_DEF_EMITKERNELS
#include "mpc/Emit/Passes.h.inc"
} // namespace mpc::emit

using namespace mpc;
using mlir::func::FuncOp;

namespace {
struct EmitKernels final : emit::impl::EmitKernelsBase<EmitKernels> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto functions = llvm::to_vector(module.getOps<FuncOp>());
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    if (failed(gpu.empty() ? emitForCpu(functions, builder)
                           : emitForGpu(functions, builder)))
      return signalPassFailure();
    for (FuncOp function : functions)
      function.erase();
  }

  /// Calls `emit` with each group that is a kernel, and its kernel's name.
  LogicalResult
  forEachKernel(ArrayRef<FuncOp> functions,
                function_ref<LogicalResult(graph::GroupOp, StringRef)> emit) {
    for (FuncOp function : functions) {
      int64_t number = 0;
      for (auto group : function.getOps<graph::GroupOp>()) {
        std::string name = (function.getName() + "_" + Twine(number++)).str();
        if (group.getKind() != graph::GroupKind::Library &&
            failed(emit(group, name)))
          return failure();
      }
    }
    return success();
  }

  LogicalResult emitForCpu(ArrayRef<FuncOp> functions, OpBuilder &builder) {
    return forEachKernel(
        functions, [&](graph::GroupOp group, StringRef name) -> LogicalResult {
          return emit::emitCpuKernel(builder, group, name,
                                     {vectorBytes, strictRounding});
        });
  }

  LogicalResult emitForGpu(ArrayRef<FuncOp> functions, OpBuilder &builder) {
    const GpuDescription *description = findGpu(gpu);
    if (!description) {
      InFlightDiagnostic error = emitError(mlir::UnknownLoc::get(&getContext()))
                                 << "expected an architecture out of";
      for (const GpuDescription &known : knownGpus())
        error << ' ' << StringRef(known.arch);
      return error << ", but got '" << gpu << "'";
    }
    ModuleOp module = getOperation();
    module->setAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName(),
                    builder.getUnitAttr());
    auto kernels =
        mlir::gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
    builder.setInsertionPointToEnd(kernels.getBody());
    return forEachKernel(
        functions, [&](graph::GroupOp group, StringRef name) -> LogicalResult {
          auto kernel = emit::emitGpuKernel(builder, group, name,
                                            {description, strictRounding});
          if (failed(kernel))
            return failure();
          auto note = [&](StringRef symbol, StringRef what, uint64_t bytes) {
            if (bytes)
              kernels.lookupSymbol(symbol)->setAttr(
                  what, builder.getI64IntegerAttr(bytes));
          };
          note(name, "mpc.workspace_bytes", kernel->workspaceBytes);
          for (const emit::GpuStage &stage : kernel->stages)
            note(stage.symbol, "mpc.shared_bytes", stage.sharedBytes);
          return success();
        });
  }
};
} // namespace
