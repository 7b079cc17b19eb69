// Passes that choose by running what follows them, one record each in
// Passes.td.
#ifndef MPC_PIPELINES_PASSES_H
#define MPC_PIPELINES_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mpc/Interfaces/LLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <memory>

namespace mpc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "mpc/Pipelines/Passes.h.inc"

/// Prints what it has chosen, as a table, to `report`, if that is not null.
/// `onRefusal` may be null; see PipelineOptions::onRefusedLimit.
std::unique_ptr<mlir::Pass>
createLimitMemory(const LimitMemoryOptions &options, llvm::raw_ostream *report,
                  std::function<void(ModuleOp)> onRefusal);

} // namespace mpc

#endif // MPC_PIPELINES_PASSES_H
