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
  /// `outputs`: names of outputs to collect.
  Evaluator(const Program &program, const data::Dataset &dataset,
            const InputOptions &options, const NamePairs &accuracy,
            const std::vector<std::string> &outputs = {});

  Evaluation run(Session &session);

private:
  void checkSamples(const InputOptions &options) const;
  void findLabels(const NamePairs &accuracy);
  uint64_t countCorrect(const Session &session, uint64_t realSamples,
                        uint64_t &counted) const;
  bool isBatched(const TensorFacts &output) const;
  void collect(const Session &session, uint64_t realSamples,
               Evaluation &result) const;

  const EntryFacts &entry;
  const data::Dataset &dataset;
  data::Batch batch;
  std::optional<uint32_t> loss, logits;
  size_t label = 0; ///< Input that holds the labels, if `logits` is set.
  std::optional<int64_t> ignoredLabel;
  std::vector<uint32_t> wanted;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_EVALUATION_H
