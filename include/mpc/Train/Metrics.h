// What a step and an evaluation tell: to an observer, and in lines of JSON.
#ifndef MPC_TRAIN_METRICS_H
#define MPC_TRAIN_METRICS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mpc::train {

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
  /// With TrainOptions::retry: how often this step had been tried before.
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
  /// parameter groups and losses, and the model's. Read where they are wanted:
  /// with TrainOptions::metrics.
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
  /// Mean over all samples (labels that count), each with the same weight.
  std::optional<double> loss;
  /// Share of labels that are the largest of their logits; the first of equals.
  std::optional<double> accuracy;
  uint64_t samples = 0;
};

/// The parameter group of which a column of a file of metrics tells `what`
/// ("lr"): "biases" of "biases.lr". Nothing of any other column.
std::optional<std::string_view> groupOf(std::string_view column,
                                        std::string_view what);

} // namespace mpc::train

#endif // MPC_TRAIN_METRICS_H
