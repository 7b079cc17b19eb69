// One file per pass that changed the module.
#ifndef MPC_PIPELINES_DUMPCHANGES_H
#define MPC_PIPELINES_DUMPCHANGES_H

#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Interfaces/LLVM.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace mpc {

/// Makes `pm` write `NN-<stage>-<pass>.mlir` into `directory` after every pass
/// that changed the module: the whole module, large constants elided. A dump
/// begins with the model, the stage and the pass with its options as comments;
/// values have the names that they have in the text `model`, which the module
/// was parsed from; and each argument of a function has a line. Creates the
/// directory and removes dump files of an earlier run from it; other files
/// stay. Turns threading of the context off, because a pass on one function
/// must not print another that is being rewritten.
/// Fails with a message in `error` when the directory cannot be made. The first
/// file that cannot be written is an error diagnostic, ends the dumps but not
/// the run, and sets `incomplete`, which must outlive the run.
LogicalResult dumpChanges(mlir::PassManager &pm, StringRef directory,
                          llvm::MemoryBufferRef model, bool &incomplete,
                          std::string &error);

} // namespace mpc

#endif // MPC_PIPELINES_DUMPCHANGES_H
