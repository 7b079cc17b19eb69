// Purpose: show the kernels of a module's groups; see Passes.td.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mpc/Emit/Passes.h"
#include "mpc/Emit/RowEmitter.h"

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
    for (FuncOp function : functions) {
      int64_t number = 0;
      for (auto group : function.getOps<graph::GroupOp>()) {
        std::string name = (function.getName() + "_" + Twine(number++)).str();
        if (group.getKind() != graph::GroupKind::Library &&
            failed(emit::emitKernel(builder, group, name,
                                    {vectorBytes, strictRounding})))
          return signalPassFailure();
      }
    }
    for (FuncOp function : functions)
      function.erase();
  }
};
} // namespace
