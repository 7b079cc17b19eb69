// Runs the forward entry over a whole data set.
#ifndef MPC_LIB_TRAIN_FORWARD_EVALUATOR_H
#define MPC_LIB_TRAIN_FORWARD_EVALUATOR_H

#include "../Inputs.h"
#include "../StepBatches.h"

#include <map>

namespace mpc::train {

/// What one pass over the data has found.
struct EvaluatorResult {
  uint64_t samples = 0;
  std::optional<double> loss, accuracy;        ///< As in EvaluationMetrics.
  std::map<std::string, data::Tensor> outputs; ///< Those that were asked for.
};

/// Of what has been evaluated; that of several shares is added.
struct EvaluatorSums {
  double loss = 0, weight = 0;
  double correct = 0, counted = 0; ///< Labels; whole numbers.
};

class Evaluator {
public:
  /// `accuracy`: pairs of logits output and label input, at most one; behind
  /// the label may stand ",class_dim=1", where the last dim is not that of
  /// classes. `outputs`: names of outputs to collect. Without `readsLoss` it
  /// does not matter what the loss is, nor what labels are.
  Evaluator(const rt::Program &program, const data::Dataset &dataset,
            const DataOptions &options, const NamePairs &accuracy,
            const std::vector<std::string> &outputs = {},
            bool readsLoss = true);

  bool hasLoss() const { return loss.has_value(); }
  /// All of the data.
  EvaluatorResult run(rt::Session &session);
  /// The same in two: every `share.ranks`-th batch, and what all shares have
  /// found together.
  EvaluatorSums measure(rt::Session &session, const Share &share,
                        EvaluatorResult &result);
  void conclude(const EvaluatorSums &sums, EvaluatorResult &result) const;

private:
  void checkSamples(const rt::Program &program,
                    const DataOptions &options) const;
  void findLabels(const rt::Program &program, const NamePairs &accuracy);
  /// What is to be known of a batch when its outputs are read.
  struct BatchFacts {
    uint64_t realSamples = 0, weight = 0;
    data::Bytes labels; ///< Empty if none are asked for.
  };
  void countCorrect(std::span<const std::byte> scores, const BatchFacts &facts,
                    EvaluatorSums &sums) const;
  bool isBatched(const mpc_tensor_info &output) const;
  bool areKept() const;
  std::span<const std::byte> read(const rt::Session &session, uint32_t index,
                                  uint32_t age) const;
  void add(const rt::Session &session, const BatchFacts &facts, uint32_t age,
           EvaluatorSums &sums, EvaluatorResult &result) const;
  void collect(const mpc_tensor_info &facts, std::span<const std::byte> bytes,
               uint64_t realSamples, EvaluatorResult &result) const;

  rt::Entry entry;
  const data::Dataset &dataset;
  data::Batch batch;
  std::optional<uint32_t> loss, logits;
  size_t label = 0;    ///< Input that holds the labels, if `logits` is set.
  size_t classDim = 0; ///< Of these logits.
  std::optional<int64_t> ignoredLabel; ///< Of these labels.
  std::vector<uint32_t> wanted;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_FORWARD_EVALUATOR_H
