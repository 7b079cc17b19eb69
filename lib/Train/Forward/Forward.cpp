#include "Forward.h"

#include "../Failure.h"
#include "../Save/Checkpoint.h"

#include "mpc/Data/TensorFile.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::train;

NamePairs mpc::train::writtenFiles(const EvaluateOptions &options) {
  NamePairs list = {{"--plans", options.device.plans}};
  for (const auto &[name, path] : options.outputs)
    list.push_back({"--output " + name, path});
  return list;
}

void mpc::train::checkFiles(const std::string &command,
                            const EvaluateOptions &options,
                            const NamePairs &written) {
  NamePairs read = {{"MODEL.mpcx", options.program.path}};
  if (!options.weights.empty())
    read.push_back({"--weights", options.weights});
  for (const auto &[name, path] : options.data.files)
    read.push_back({"--input", path});
  checkNamedOnce(command, "--input", options.data.files);
  checkDistinctFiles(command, read, written);
  checkTensorNames(command, options.outputs);
  checkWritable(written);
}

std::vector<std::string>
mpc::train::outputNames(const EvaluateOptions &options) {
  std::vector<std::string> names;
  for (const auto &[name, path] : options.outputs)
    names.push_back(name);
  return names;
}

void mpc::train::checkWeights(const std::string &command,
                              const EvaluateOptions &options,
                              const rt::Program &program) {
  auto isParameter = [](const mpc_state_info &state) {
    return state.role == MPC_PARAMETER;
  };
  std::vector<mpc_state_info> states = program.states();
  if (options.weights.empty() && std::ranges::any_of(states, isParameter))
    throw badOptions(command +
                     ": expected '--weights FILE' for the parameters "
                     "of '" +
                     program.path() + "'");
}

rt::Session mpc::train::openWithWeights(const EvaluateOptions &options,
                                        const rt::Program &program) {
  rt::Session session = openSession(program, options.device);
  require(session.init(/*seed=*/0));
  if (!options.weights.empty())
    loadWeights(options.weights, program, session,
                {options.data.convert, options.data.allowNonFinite});
  return session;
}

void mpc::train::writeOutputs(const EvaluateOptions &options,
                              rt::Session &session,
                              const EvaluatorResult &result,
                              OutputFiles &files) {
  if (!options.device.plans.empty())
    savePlans(session, files.take(options.device.plans));
  for (const auto &[name, path] : options.outputs)
    if (!path.empty())
      requireWritten(
          data::writeTensor(files.take(path), result.outputs.at(name)));
}

Evaluation mpc::train::makeEvaluation(const EvaluateOptions &options,
                                      EvaluatorResult result) {
  Evaluation evaluation{result.samples, result.loss, result.accuracy, {}};
  for (const auto &[name, path] : options.outputs) {
    const data::Tensor &tensor = result.outputs.at(name);
    evaluation.outputs.push_back(
        {name, tensor.format.name(), tensor.shape, tensor.bytes});
  }
  return evaluation;
}
