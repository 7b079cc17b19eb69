// What mpc-compile can tell about a compilation, as tables on standard output.
#ifndef MPC_TOOLS_MPC_COMPILE_REPORTS_H
#define MPC_TOOLS_MPC_COMPILE_REPORTS_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"

namespace mpc::compile {

/// At which precision each op of each model runs, and why. `module` is at
/// stage import. Fails after an error if precisions cannot be decided.
LogicalResult printPolicy(ModuleOp module, const PipelineOptions &options,
                          llvm::raw_ostream &stream);

/// Each cast of the entries, its reason, and the bytes that it reads and
/// writes per run. `module` is at stage simplify.
void printCasts(ModuleOp module, llvm::raw_ostream &stream);

} // namespace mpc::compile

#endif // MPC_TOOLS_MPC_COMPILE_REPORTS_H
