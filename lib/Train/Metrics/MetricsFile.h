// Metrics as JSON lines: one object per step, one per evaluation.
#ifndef MPC_LIB_TRAIN_METRICS_METRICSFILE_H
#define MPC_LIB_TRAIN_METRICS_METRICSFILE_H

#include "mpc/Train/Metrics.h"

#include <cstdio>
#include <memory>

namespace mpc::train {

/// A line of such a file, with its end.
std::string formatLine(const EvaluationMetrics &evaluation);

/// Refuses to replace what is no file of metrics. A new file, an empty one,
/// pipes and devices are anybody's.
void checkReplacesMetrics(const std::string &path);

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

  /// For people: lines of later steps that were cut, since the run before went
  /// on after its last checkpoint and those steps are done again; and a last
  /// line that is not whole, since that run was killed while it wrote.
  std::vector<std::string> describeCut() const;

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
  std::optional<uint64_t> goOnBehind;
  std::vector<std::string> groups;
  Cut cut;
  std::unique_ptr<std::FILE, Close> file;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_METRICS_METRICSFILE_H
