// What can be told about a compilation, as tables.
#ifndef MPC_LIB_COMPILE_REPORTS_H
#define MPC_LIB_COMPILE_REPORTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mpc/Compile/Options.h"

namespace mpc::compile {

/// At which precision each op of each model runs, and why. `module` is at
/// stage import. Fails after an error if precisions cannot be decided.
LogicalResult printPolicy(ModuleOp module, const PipelineOptions &options,
                          llvm::raw_ostream &stream);

/// Each cast of the entries, its reason, and the bytes that it reads and
/// writes per run. `module` is at stage simplify.
void printCasts(ModuleOp module, llvm::raw_ostream &stream);

/// What the step would save for its backward, and what it saves in fact: first
/// from a copy of the module at stage import, then at stage autodiff.
class SavedReport {
public:
  /// Differentiates a copy of `module`, at stage import, as it is; not when
  /// only the forward is wanted (`inference`), which saves nothing.
  void atImport(ModuleOp module, bool inference);
  /// `module` is at stage autodiff.
  void print(ModuleOp module, llvm::raw_ostream &stream) const;

private:
  mlir::OwningOpRef<ModuleOp> wide;
};

} // namespace mpc::compile

#endif // MPC_LIB_COMPILE_REPORTS_H
