// What the user sees while training runs. On a terminal one line that is
// rewritten in place, at most ten times a second; elsewhere plain lines at the
// end of epochs, about twenty in all.
// Lines that the user asked for (--log-every) stay, in both.
#ifndef MPC_TOOLS_MPC_RUN_PROGRESS_H
#define MPC_TOOLS_MPC_RUN_PROGRESS_H

#include "mpc/Train/Observer.h"

#include <chrono>

namespace mpc::run {

class Progress : public train::Observer {
public:
  /// `logEvery`: 0: not asked for. `evaluatesSteps`: test data are evaluated
  /// after steps, and not after epochs.
  explicit Progress(uint64_t logEvery, bool evaluatesSteps = false);
  ~Progress() override;

  void onGuarded() override;
  void onBegin(const train::RunPlan &run) override;
  void onStep(const train::StepMetrics &step) override;
  void onEvaluation(const train::EvaluationMetrics &found) override;
  void onTrained() override;
  void onSummary(const train::Summary &summary) override;
  void onNote(const std::string &text) override;
  void onWarning(const std::string &text) override;

private:
  using Clock = std::chrono::steady_clock;
  /// The line, parts left out so that it has at most `width` characters.
  std::string describe(const train::StepMetrics &step, size_t width) const;
  bool wantsPlainLine(uint64_t step) const;
  /// Prints a line that stays, above the line that is rewritten.
  void print(const std::string &line);

  train::RunPlan plan;
  uint64_t logEvery;
  bool evaluatesSteps;
  bool isTerminal;
  bool isLineOpen = false;
  Clock::time_point begin, lastShown;
};

/// In characters; 80 where the output is no terminal.
size_t terminalWidth();

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_PROGRESS_H
