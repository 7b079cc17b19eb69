#include "Progress.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

using namespace mpc;
using namespace mpc::compile;

void Progress::onStage(Stage stage, std::function<void(ModuleOp)> report) {
  reports.emplace_back(stage, std::move(report));
}

void Progress::finish(Stage stage, ModuleOp module, StringRef remark) {
  double milliseconds =
      std::chrono::duration<double, std::milli>(Clock::now() - last).count();
  if (teller.wantsProgress()) {
    std::string line;
    llvm::raw_string_ostream(line)
        << llvm::format("[%2u/%zu] ", unsigned(stage) + 1, allStages().size())
        << llvm::left_justify(getName(stage), 10)
        << llvm::format("%8.1f ms", milliseconds)
        << (remark.empty() ? "" : "  ") << remark << "\n";
    teller.progress(line);
  }
  for (auto &[about, report] : reports)
    if (about == stage)
      report(module);
  teller.flushReports();
  last = Clock::now();
}

namespace {
/// Gates are called mpc-verify-<stage>.
class GateWatcher final : public mlir::PassInstrumentation {
public:
  explicit GateWatcher(Progress &progress) : progress(progress) {}

  void runAfterPass(mlir::Pass *pass, Operation *op) override {
    StringRef name = pass->getArgument();
    if (!name.consume_front("mpc-verify-"))
      return;
    if (std::optional<Stage> stage = parseStage(name))
      progress.finish(*stage, cast<ModuleOp>(op));
  }

private:
  Progress &progress;
};
} // namespace

void Progress::watch(mlir::PassManager &pm) {
  pm.addInstrumentation(std::make_unique<GateWatcher>(*this));
}
