// A trained model on data from files, as `mpc-run eval` and `predict` run it.
#ifndef MPC_TRAIN_EVALUATE_H
#define MPC_TRAIN_EVALUATE_H

#include "mpc/Train/Observer.h"
#include "mpc/Train/Options.h"
#include "mpc/Train/Status.h"

#include <cstddef>

namespace mpc::train {

/// An output of all samples, in their order: dense rows.
struct OutputTensor {
  std::string name, type; ///< "logits", "f32"
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;
};

struct Evaluation {
  uint64_t samples = 0;
  std::optional<double> loss, accuracy; ///< As in EvaluationMetrics.
  std::vector<OutputTensor> outputs;    ///< Those of the options, in order.
};

/// Runs the model once over the data; the loss is the mean over all samples,
/// each with the same weight. Tells the observer what it found before it writes
/// files.
Expected<Evaluation> evaluate(const EvaluateOptions &options,
                              Observer &observer);
/// The same for outputs alone: labels, and whatever else only the loss is for,
/// are not asked for.
Expected<Evaluation> predict(const EvaluateOptions &options);

} // namespace mpc::train

#endif // MPC_TRAIN_EVALUATE_H
