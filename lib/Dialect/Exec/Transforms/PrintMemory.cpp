// Purpose: show the memory map where no tool prints it.
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Exec/Analysis/MemoryMap.h"
#include "mpc/Dialect/Exec/Analysis/PeakBuffers.h"
#include "mpc/Dialect/Exec/Transforms/Passes.h"

namespace mpc::exec {
#define GEN_PASS_DEF_PRINTMEMORY
#include "mpc/Dialect/Exec/Transforms/Passes.h.inc"
} // namespace mpc::exec

namespace {
struct PrintMemory final : mpc::exec::impl::PrintMemoryBase<PrintMemory> {
  using Base::Base;

  void runOnOperation() override {
    mpc::exec::MemoryMap::get(getOperation()).print(llvm::errs());
    if (peak)
      mpc::exec::printPeak(getOperation(), llvm::errs());
    markAllAnalysesPreserved();
  }
};
} // namespace
