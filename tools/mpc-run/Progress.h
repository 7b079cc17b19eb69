// What the user sees while training runs. On a terminal one line that is
// rewritten in place, at most ten times a second; elsewhere plain lines at the
// end of epochs, about twenty in all.
// Lines that the user asked for (--log-every) stay, in both.
#ifndef MPC_TOOLS_MPC_RUN_PROGRESS_H
#define MPC_TOOLS_MPC_RUN_PROGRESS_H

#include "Metrics/Metrics.h"

#include <chrono>

namespace mpc::run {

struct ProgressPlan {
  uint64_t firstStep = 0, lastStep = 0; ///< Of this run.
  uint64_t stepsPerEpoch = 1, batchSize = 1;
  uint64_t logEvery = 0; ///< 0: not asked for.
};

class Progress {
public:
  explicit Progress(ProgressPlan plan);
  ~Progress();

  void show(const StepMetrics &step);
  /// Prints a line that stays, above the line that is rewritten.
  void print(const std::string &line);
  /// Ends the line that is rewritten; the next show() begins a new one.
  void finish();

private:
  using Clock = std::chrono::steady_clock;
  /// The line, parts left out so that it has at most `width` characters.
  std::string describe(const StepMetrics &step, size_t width) const;
  bool wantsPlainLine(uint64_t step) const;

  ProgressPlan plan;
  bool isTerminal;
  bool isLineOpen = false;
  Clock::time_point begin, lastShown;
};

/// In characters; 80 where the output is no terminal.
size_t terminalWidth();
/// "1:02:03", "2:03", "0:03".
std::string formatSeconds(double seconds);
/// "12.3k", "1.20M", "987".
std::string formatRate(double perSecond);
/// "0.1234", and "1.2346e+30" where digits after the point would say nothing,
/// or would have dozens in front of them.
std::string formatLoss(double loss, int decimals = 4);
/// "12.34 %", of a share.
std::string formatPercent(double share);
/// "2^16" for powers of two, else plain.
std::string formatScale(double scale);
/// "1.5 MiB"
std::string formatBytes(uint64_t bytes);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_PROGRESS_H
