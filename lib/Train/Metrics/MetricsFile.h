// Metrics as JSON lines: one object per step, one per evaluation.
#ifndef MPC_LIB_TRAIN_METRICS_METRICSFILE_H
#define MPC_LIB_TRAIN_METRICS_METRICSFILE_H

#include "mpc/Support/PatientWriter.h"
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

  MetricsFile(MetricsFile &&) = default;
  ~MetricsFile();

  /// For people: lines of later steps that were cut, since the run before went
  /// on after its last checkpoint and those steps are done again; and a last
  /// line that is not whole, since that run was killed while it wrote.
  std::vector<std::string> describeCut() const;

  void write(const StepMetrics &step);
  void write(const EvaluationMetrics &evaluation);
  /// Hands everything to the system, or of a pipe to a thread, so that steps
  /// wait for no reader; fails if the disk is full, or nobody reads any more.
  void flush();
  /// The same, and waits until who reads a pipe has all.
  void finish();

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  void writeLine(const std::string &line);
  void requireReader();

  std::string path;
  std::optional<uint64_t> goOnBehind;
  std::vector<std::string> groups;
  Cut cut;
  std::unique_ptr<std::FILE, Close> file;
  std::string lines;                     ///< For a pipe, since the last flush.
  std::unique_ptr<PatientWriter> writer; ///< Of a pipe.
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_METRICS_METRICSFILE_H
