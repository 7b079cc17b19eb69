// Metrics as JSON lines: one object per step, one per evaluation.
#ifndef MPC_TOOLS_MPC_RUN_METRICS_METRICS_H
#define MPC_TOOLS_MPC_RUN_METRICS_METRICS_H

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mpc::run {

/// An output that is one number.
struct NamedScalar {
  std::string name;
  std::variant<bool, int64_t, double> value;
};

/// What one step did. What a program does not have (a scaler, clipping) is
/// missing; a number that is not finite is written as null.
struct StepMetrics {
  uint64_t step = 0;  ///< Since the very beginning, this one included.
  uint64_t epoch = 0; ///< From 1.
  /// With --retry: how often this step had been tried before.
  std::optional<uint64_t> retry;
  std::optional<double> loss;        ///< Mean over the micro-batches.
  std::optional<bool> nonFiniteLoss; ///< It is inf or NaN.
  std::optional<double> scale;       ///< That this step used.
  std::optional<uint64_t> skipped;   ///< Runs of a step so far.
  std::optional<bool> foundInf;
  std::optional<int64_t> consecutiveSkips; ///< This one included.
  std::optional<bool> scaleAtFloor;
  std::optional<double> gradNorm;       ///< Before clipping.
  std::optional<bool> nonFiniteGrad;    ///< A norm; the step changed nothing.
  std::optional<double> lr;             ///< That this step used.
  std::optional<int64_t> effectiveStep; ///< Steps taken, this one included.
  /// Every output of rank 0 under its own name: those above, those of
  /// parameter groups and losses, and the model's. Read where they are wanted.
  std::vector<NamedScalar> scalars;
  double samplesPerSecond = 0;
  double milliseconds = 0; ///< In the runtime.

  bool wasSkipped() const { return foundInf.value_or(false); }
  /// The loss was not finite, but the parameters were changed.
  bool tookBadLoss() const {
    return nonFiniteLoss.value_or(false) && !wasSkipped() &&
           !nonFiniteGrad.value_or(false);
  }
};

/// What an evaluation found, and when.
struct EvaluationMetrics {
  uint64_t step = 0, epoch = 0; ///< 0 where no training goes on.
  std::optional<double> loss, accuracy;
  uint64_t samples = 0;
};

/// A line of such a file, with its end.
std::string formatLine(const EvaluationMetrics &evaluation);

/// What a run that goes on leaves out of a file of metrics.
struct Cut {
  uint64_t lines = 0;    ///< of later steps
  bool halfLine = false; ///< the last, which is not whole
};

/// A file of JSON lines that grows as training goes on. What is in a line:
/// Columns.h.
class MetricsFile {
public:
  /// `goOnBehind`: keep the lines up to that step, for a run that goes on
  /// there. Its lines are those of one writer: lock it first (FileLocks).
  /// `groups`: the parameter groups of the program.
  MetricsFile(const std::string &path, std::optional<uint64_t> goOnBehind,
              std::vector<std::string> groups = {});

  /// How many lines of later steps were cut: the run before went on after its
  /// last checkpoint, and those steps are done again.
  uint64_t numCut() const { return cut.lines; }
  /// Whether a last line that was not whole was cut: the run before was killed
  /// while it wrote, and that line is lost.
  bool hasCutHalfLine() const { return cut.halfLine; }

  void write(const StepMetrics &step);
  void write(const EvaluationMetrics &evaluation);
  /// Hands everything to the system; fails if the disk is full.
  void flush();

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  void writeLine(const std::string &line);

  std::string path;
  std::vector<std::string> groups;
  Cut cut;
  std::unique_ptr<std::FILE, Close> file;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_METRICS_METRICS_H
