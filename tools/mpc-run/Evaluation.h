// Runs the forward entry over a whole data set.
#ifndef MPC_TOOLS_MPC_RUN_EVALUATION_H
#define MPC_TOOLS_MPC_RUN_EVALUATION_H

#include "Inputs.h"
#include "Model.h"

#include <map>

namespace mpc::run {

struct Evaluation {
  uint64_t samples = 0, batches = 0;
  /// Mean over all samples (labels that count), each with the same weight.
  std::optional<double> loss;
  /// Share of labels that are the largest of their logits; the first of equals.
  std::optional<double> accuracy;
  std::map<std::string, data::Tensor> outputs; ///< Those that were asked for.
};

class Evaluator {
public:
  /// `accuracy`: pairs of logits output and label input, at most one.
  /// `outputs`: names of outputs to collect. Without `readsLoss` it does not
  /// matter what the loss is, nor what labels are.
  Evaluator(const Program &program, const data::Dataset &dataset,
            const InputOptions &options, const NamePairs &accuracy,
            const std::vector<std::string> &outputs = {},
            bool readsLoss = true);

  bool hasLoss() const { return loss.has_value(); }
  Evaluation run(Session &session);

private:
  void checkSamples(const InputOptions &options) const;
  void findLabels(const NamePairs &accuracy);
  /// What is to be known of a batch when its outputs are read.
  struct BatchFacts {
    uint64_t realSamples = 0, weight = 0;
    data::Bytes labels; ///< Empty if none are asked for.
  };
  struct Sums {
    double loss = 0;
    uint64_t weight = 0, correct = 0, counted = 0;
  };
  void countCorrect(std::span<const std::byte> scores, const BatchFacts &facts,
                    Sums &sums) const;
  bool isBatched(const TensorFacts &output) const;
  bool areKept() const;
  std::span<const std::byte> read(const Session &session, uint32_t index,
                                  uint32_t age) const;
  void add(const Session &session, const BatchFacts &facts, uint32_t age,
           Sums &sums, Evaluation &result) const;
  void collect(const TensorFacts &facts, std::span<const std::byte> bytes,
               uint64_t realSamples, Evaluation &result) const;

  const EntryFacts &entry;
  const data::Dataset &dataset;
  data::Batch batch;
  std::optional<uint32_t> loss, logits;
  size_t label = 0; ///< Input that holds the labels, if `logits` is set.
  std::optional<int64_t> ignoredLabel; ///< Of these labels.
  std::vector<uint32_t> wanted;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_EVALUATION_H
