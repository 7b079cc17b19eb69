// One line per stage while the compiler runs, and reports at the stage whose
// module they are about.
#ifndef MPC_LIB_COMPILE_PROGRESS_H
#define MPC_LIB_COMPILE_PROGRESS_H

#include "Diagnoser.h"
#include "mlir/IR/BuiltinOps.h"
#include <chrono>
#include <functional>

namespace mlir {
class PassManager;
} // namespace mlir

namespace mpc::compile {

class Progress {
public:
  explicit Progress(Teller &teller) : teller(teller) {}

  /// Calls `report` with the module when `stage` is done.
  void onStage(Stage stage, std::function<void(ModuleOp)> report);

  /// Says that `stage` is done, with the time since the last one, and runs its
  /// reports, whose time does not count.
  void finish(Stage stage, ModuleOp module, StringRef remark = "");

  /// Makes `pm` tell this when its stages are done: at each gate.
  void watch(mlir::PassManager &pm);

private:
  using Clock = std::chrono::steady_clock;

  Teller &teller;
  Clock::time_point last = Clock::now();
  std::vector<std::pair<Stage, std::function<void(ModuleOp)>>> reports;
};

} // namespace mpc::compile

#endif // MPC_LIB_COMPILE_PROGRESS_H
