// What evaluate() and predict() share: weights, data, and outputs that become
// files. `command` is which of them it is, for messages.
#ifndef MPC_LIB_TRAIN_FORWARD_FORWARD_H
#define MPC_LIB_TRAIN_FORWARD_FORWARD_H

#include "../Save/OutputFiles.h"
#include "Evaluator.h"

#include "mpc/Train/Evaluate.h"

namespace mpc::train {

/// What writeOutputs() writes: options and files.
NamePairs writtenFiles(const EvaluateOptions &options);
/// Fails if a file is read and written, or cannot be written. `written`: all
/// that the command writes.
void checkFiles(const std::string &command, const EvaluateOptions &options,
                const NamePairs &written);
std::vector<std::string> outputNames(const EvaluateOptions &options);
/// Fails if there are no weights and the program has parameters.
void checkWeights(const std::string &command, const EvaluateOptions &options,
                  const rt::Program &program);
/// A session with the weights.
rt::Session openWithWeights(const EvaluateOptions &options,
                            const rt::Program &program);
/// Writes plans and outputs.
void writeOutputs(const EvaluateOptions &options, rt::Session &session,
                  const EvaluatorResult &result, OutputFiles &files);
/// What the caller gets of it.
Evaluation makeEvaluation(const EvaluateOptions &options,
                          EvaluatorResult result);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_FORWARD_FORWARD_H
