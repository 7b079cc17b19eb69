// What a step tells its caller: the outputs of the entry "step" that the
// compiler adds to the model's own, by name. A program has those that its
// training needs; what it does not have is missing.
#ifndef MPC_RUNTIME_STEPREPORT_H
#define MPC_RUNTIME_STEPREPORT_H

#include "mpc/Program/Program.h"
#include "mpc/Support/Status.h"

#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace mpc::runtime {

/// The values of a report, by the name of their output.
enum class ReportField {
  Loss,             ///< mean over the micro-batches, not scaled
  Scale,            ///< the loss scale that the step used
  GradNorm,         ///< before clipping
  FoundInf,         ///< a gradient was inf or NaN: the step was skipped
  LearningRate,     ///< that the step used
  Step,             ///< steps that were taken so far, skipped ones left out
  ConsecutiveSkips, ///< steps that were skipped in a row, this one included
  ScaleAtFloor,     ///< the scale cannot shrink any more
  NonFiniteGrad,    ///< a norm was not finite: the step changed nothing
};
constexpr size_t kReportFields = 9;

/// "loss", "found_inf", ...
std::string_view getOutputName(ReportField field);

struct StepReport {
  std::array<std::optional<double>, kReportFields> values;

  std::optional<double> operator[](ReportField field) const {
    return values[static_cast<size_t>(field)];
  }
  /// Whether the loss was inf or NaN, which alone skips no step; nothing if the
  /// program has none.
  std::optional<bool> hasNonFiniteLoss() const;
};

/// Where the fields of a report are among the outputs of the entry "step".
/// Looked up once, so that reading a report allocates nothing.
class ReportLayout {
public:
  explicit ReportLayout(const program::Program &program);

  /// The entry "step", or nothing if the program has none.
  std::optional<uint32_t> entry() const { return stepEntry; }
  /// The output that holds `field`; only rank-0 outputs count.
  std::optional<uint32_t> output(ReportField field) const {
    return outputs[static_cast<size_t>(field)];
  }

private:
  std::optional<uint32_t> stepEntry;
  std::array<std::optional<uint32_t>, kReportFields> outputs;
};

} // namespace mpc::runtime

#endif // MPC_RUNTIME_STEPREPORT_H
