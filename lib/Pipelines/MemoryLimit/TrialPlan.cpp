#include "TrialPlan.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Exec/Analysis/MemoryMap.h"
#include "mpc/Pipelines/Pipelines.h"

using namespace mpc;
using namespace mpc::memory_limit;

namespace {

/// What is said about the module is said when it is compiled, not when it is
/// planned; what goes wrong is said at once.
struct Silence final : mlir::ScopedDiagnosticHandler {
  explicit Silence(MLIRContext *context)
      : ScopedDiagnosticHandler(context, [](mlir::Diagnostic &diagnostic) {
          return success(diagnostic.getSeverity() !=
                         mlir::DiagnosticSeverity::Error);
        }) {}
};

} // namespace

FailureOr<PlannedBytes>
memory_limit::planCopy(ModuleOp module, function_ref<void(ModuleOp)> look) {
  Silence silence(module.getContext());
  mlir::OwningOpRef<ModuleOp> copy = module.clone();
  mlir::PassManager pm(module.getContext());
  pm.enableVerifier(false);
  buildTrialPlan(pm);
  if (failed(pm.run(*copy)))
    return failure();
  if (look)
    look(*copy);
  exec::MemoryMap map = exec::MemoryMap::get(*copy);
  return PlannedBytes{map.totalBytes(),
                      map.totalBytes() - map.arenaBytes + map.largestLiveSet,
                      map.largestEntry.str(), map.arenaBytes};
}
