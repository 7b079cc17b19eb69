#include "Commands.h"
#include "Forward.h"

#include "mpc/Program/Names.h"

using namespace mpc;
using namespace mpc::run;

namespace {

struct PredictOptions : ForwardOptions {
  static Options command();
  void declare(Options &options);
};

Options PredictOptions::command() {
  return {"mpc-run", "predict", "write what a trained model says of new data",
          "MODEL.mpcx"};
}

void PredictOptions::declare(Options &options) {
  options.setDetails(
      "Runs the model once over the data and writes outputs of all samples, in "
      "their order. Labels and whatever else only the loss is for are not "
      "asked for.");
  input.declareFiles(options);
  declareWeights(options, "Prediction");
  device.declare(options);
}

/// An output that depends on data which nobody gave is none.
bool needsMissing(const EntryFacts &entry, const std::string &output) {
  return output == "loss" &&
         std::any_of(entry.inputs.begin(), entry.inputs.end(),
                     [](const InputFacts &input) { return input.lossOnly; });
}

void checkNames(const EntryFacts &entry, const PredictOptions &options) {
  std::string names;
  for (const TensorFacts &output : entry.outputs)
    if (!needsMissing(entry, output.name))
      names += (names.empty() ? "'" : ", '") + output.name + "'";
  if (options.outputs.empty())
    throw usageError("predict: expected --output NAME=FILE with an output of "
                     "the program, which has " +
                     (names.empty() ? "none but the loss" : names));
  for (const auto &[name, path] : options.outputs)
    if (needsMissing(entry, name))
      throw usageError("predict: --output " + name + "=" + path +
                       ": the loss needs labels; mpc-run eval takes them");
  for (const auto &[name, path] : options.input.files)
    for (const InputFacts &input : entry.inputs)
      if (input.name == name && input.lossOnly)
        throw usageError("predict: --input " + name + "=" + path +
                         ": only the loss needs it, which is not computed "
                         "here; mpc-run eval takes it");
}

void print(const PredictOptions &options, const Evaluation &result) {
  std::printf("samples %llu\n",
              static_cast<unsigned long long>(result.samples));
  for (const auto &[name, path] : options.outputs) {
    const data::Tensor &tensor = result.outputs.at(name);
    std::printf("output %s %s in %s\n", name.c_str(),
                data::describe(tensor.shape, tensor.format.name()).c_str(),
                path.c_str());
  }
}

} // namespace

cli::CommandInfo mpc::run::describePredict() {
  return describe<PredictOptions>();
}

Exit mpc::run::runPredict(const Arguments &arguments) {
  PredictOptions options;
  std::optional<std::string> model = readInto(options, arguments);
  if (!model)
    return Exit::Ok;
  options.checkFiles("predict", *model, options.writtenFiles());
  Program program(*model);
  options.checkWeights("predict", program);
  const EntryFacts &entry = program.entry(program::kForwardEntry);
  checkNames(entry, options);
  data::Dataset dataset = loadDataset(entry, options.input.files, options.input,
                                      {.withoutLoss = true});
  Evaluator evaluator(program, dataset, options.input, /*accuracy=*/{},
                      options.outputNames(), /*readsLoss=*/false);
  Session session = options.open(program);
  OutputFiles files;
  files.open(options.writtenFiles());
  Evaluation result = evaluator.run(session);
  options.write(session, result, files);
  print(options, result);
  return Exit::Ok;
}
