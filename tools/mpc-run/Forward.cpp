#include "Forward.h"

#include "Failure.h"
#include "Save/Checkpoint.h"

#include "mpc/Data/TensorFile.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::run;

void ForwardOptions::declareWeights(Options &options,
                                    const std::string &title) {
  options.beginGroup(title);
  options.addText("--weights", "FILE", "parameters, if the program has any",
                  weights);
  options.addPairs(
      "--output", "NAME=FILE",
      "write output NAME of all samples: .npy, or bare values in .raw or "
      ".bin",
      '=', outputs);
}

NamePairs ForwardOptions::writtenFiles() const {
  NamePairs list = {{"--plans", device.plans}};
  for (const auto &[name, path] : outputs)
    list.push_back({"--output " + name, path});
  return list;
}

void ForwardOptions::checkFiles(const std::string &command,
                                const std::string &model,
                                const NamePairs &written) const {
  NamePairs read = {{"MODEL.mpcx", model}};
  if (!weights.empty())
    read.push_back({"--weights", weights});
  for (const auto &[name, path] : input.files)
    read.push_back({"--input", path});
  checkNamedOnce(command, "--input", input.files);
  checkDistinctFiles(command, read, written);
  checkTensorNames(command, outputs);
  checkWritable(written);
}

std::vector<std::string> ForwardOptions::outputNames() const {
  std::vector<std::string> names;
  for (const auto &[name, path] : outputs)
    names.push_back(name);
  return names;
}

void ForwardOptions::checkWeights(const std::string &command,
                                  const Program &program) const {
  auto isParameter = [](const StateFacts &state) {
    return state.role == MPC_PARAMETER;
  };
  if (weights.empty() && std::ranges::any_of(program.states(), isParameter))
    throw usageError(command +
                     ": expected '--weights FILE' for the parameters "
                     "of '" +
                     program.path() + "'");
}

Session ForwardOptions::open(const Program &program) const {
  Session session(program, device);
  session.init(/*seed=*/0);
  if (!weights.empty())
    loadWeights(weights, program, session,
                {input.convert, input.allowNonFinite});
  return session;
}

void ForwardOptions::write(Session &session, const Evaluation &result,
                           OutputFiles &files) const {
  if (!device.plans.empty())
    session.savePlans(files.take(device.plans));
  for (const auto &[name, path] : outputs)
    requireWritten(
        data::writeTensor(files.take(path), result.outputs.at(name)));
}
