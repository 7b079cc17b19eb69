// What a program would need: the stages after `simplify` run on a copy, and the
// memory map of what they leave is exact. Only what is true of the copy alone
// is left out: the gates, which look at what the compiler makes in the end once
// more.
#ifndef MPC_LIB_PIPELINES_MEMORYLIMIT_TRIALPLAN_H
#define MPC_LIB_PIPELINES_MEMORYLIMIT_TRIALPLAN_H

#include "Choice.h"
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::memory_limit {

/// The bytes of `module`, at stage `simplify`, by the marks that are on its
/// ops. Says nothing but errors: the rest is said when the module is compiled.
/// `look`, if it is not null, is shown the planned copy.
FailureOr<PlannedBytes> planCopy(ModuleOp module,
                                 function_ref<void(ModuleOp)> look = nullptr);

} // namespace mpc::memory_limit

#endif // MPC_LIB_PIPELINES_MEMORYLIMIT_TRIALPLAN_H
