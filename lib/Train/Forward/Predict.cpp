#include "../Failure.h"
#include "Forward.h"

#include "mpc/Program/Names.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::train;

/// An output that depends on data which nobody gave is none.
static bool needsMissing(const rt::Entry &entry, std::string_view output) {
  return output == "loss" &&
         std::ranges::any_of(entry.inputs, [](const mpc_tensor_info &input) {
           return input.loss_only != 0;
         });
}

static void checkNames(const rt::Entry &entry, const EvaluateOptions &options) {
  std::string names;
  for (const mpc_tensor_info &output : entry.outputs)
    if (!needsMissing(entry, output.name))
      names += (names.empty() ? "'" : ", '") + std::string(output.name) + "'";
  if (options.outputs.empty())
    throw badOptions("predict: expected --output NAME=FILE with an output of "
                     "the program, which has " +
                     (names.empty() ? "none but the loss" : names));
  for (const auto &[name, path] : options.outputs)
    if (needsMissing(entry, name))
      throw badOptions("predict: --output " + name + "=" + path +
                       ": the loss needs labels; mpc-run eval takes them");
  for (const auto &[name, path] : options.data.files)
    for (const mpc_tensor_info &input : entry.inputs)
      if (input.name == name && input.loss_only)
        throw badOptions("predict: --input " + name + "=" + path +
                         ": only the loss needs it, which is not computed "
                         "here; mpc-run eval takes it");
}

/// What is of no use where nothing is compared with labels.
static void checkNoLabels(const EvaluateOptions &options) {
  if (!options.accuracy.empty())
    throw badOptions("predict: '--accuracy' needs labels; mpc-run eval takes "
                     "them");
  if (!options.metrics.empty())
    throw badOptions("predict: '--metrics' needs a loss or an accuracy; "
                     "mpc-run eval computes them");
}

Expected<Evaluation> mpc::train::predict(const EvaluateOptions &options) {
  return guard([&] {
    checkNoLabels(options);
    checkFiles("predict", options, writtenFiles(options));
    rt::Program program = loadProgram(options.program);
    checkWeights("predict", options, program);
    rt::Entry entry = requireEntry(program, program::kForwardEntry);
    checkNames(entry, options);
    data::Dataset dataset = loadDataset(entry, options.data.files, options.data,
                                        {.withoutLoss = true});
    Evaluator evaluator(program, dataset, options.data, /*accuracy=*/{},
                        outputNames(options), /*readsLoss=*/false);
    rt::Session session = openWithWeights(options, program);
    OutputFiles files;
    files.open(writtenFiles(options));
    EvaluatorResult result = evaluator.run(session);
    writeOutputs(options, session, result, files);
    return makeEvaluation(options, std::move(result));
  });
}
