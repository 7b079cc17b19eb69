// One line per stage on standard error while the compiler runs, and reports at
// the stage whose module they are about.
#ifndef MPC_TOOLS_MPC_COMPILE_PROGRESS_H
#define MPC_TOOLS_MPC_COMPILE_PROGRESS_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"
#include <chrono>
#include <functional>

namespace mlir {
class PassManager;
} // namespace mlir

namespace mpc::compile {

class Progress {
public:
  /// Silent unless `isShown`.
  explicit Progress(bool isShown) : isShown(isShown) {}

  /// Calls `report` with the module when `stage` is done.
  void onStage(Stage stage, std::function<void(ModuleOp)> report);

  /// Says that `stage` is done, with the time since the last one, and runs its
  /// reports, whose time does not count.
  void finish(Stage stage, ModuleOp module, StringRef remark = "");

  /// Makes `pm` tell this when its stages are done: at each gate.
  void watch(mlir::PassManager &pm);

private:
  using Clock = std::chrono::steady_clock;

  bool isShown;
  Clock::time_point last = Clock::now();
  std::vector<std::pair<Stage, std::function<void(ModuleOp)>>> reports;
};

} // namespace mpc::compile

#endif // MPC_TOOLS_MPC_COMPILE_PROGRESS_H
