#include "Checkpoint.h"
#include "Commands.h"
#include "Device.h"
#include "Evaluation.h"
#include "Metrics.h"

#include "mpc/Data/Npy.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::run;

namespace {

struct EvalOptions {
  InputOptions input;
  NamePairs outputs, accuracy;
  DeviceChoice device;
  std::string weights, metrics;

  static Options command();
  void declare(Options &options);
  void checkFiles(const std::string &model) const;
};

Options EvalOptions::command() {
  return {"mpc-run", "eval", "run a trained model on data from files",
          "MODEL.mpcx"};
}

void EvalOptions::declare(Options &options) {
  options.setDetails("Runs the model once over the data, with weights from a "
                     "safetensors file. The loss is the mean over all samples, "
                     "each with the same weight.");
  input.declare(options);
  options.beginGroup("Evaluation");
  options.addText("--weights", "FILE", "parameters", weights).required();
  options.addPairs("--output", "NAME=FILE",
                   "write output NAME of all samples as npy", '=', outputs);
  options.addPairs(
      "--accuracy", "LOGITS:LABEL",
      "print how often input LABEL is the largest of output LOGITS", ':',
      accuracy);
  options.addText("--metrics", "FILE", "write the result as a JSON line",
                  metrics);
  device.declare(options);
}

void EvalOptions::checkFiles(const std::string &model) const {
  NamePairs read = {{"MODEL.mpcx", model}, {"--weights", weights}};
  for (const auto &[name, path] : input.files)
    read.push_back({"--input", path});
  NamePairs replaced = {{"--plans", device.plans}};
  for (const auto &[name, path] : outputs)
    replaced.push_back({"--output " + name, path});
  NamePairs written = replaced;
  written.push_back({"--metrics", metrics});
  checkDistinctFiles("eval", read, written);
  checkWritable(replaced);
}

void print(const Evaluation &result) {
  std::printf("samples %llu", static_cast<unsigned long long>(result.samples));
  if (result.loss)
    std::printf("  loss %.6f", *result.loss);
  if (result.accuracy)
    std::printf("  accuracy %.2f %%", *result.accuracy * 100);
  std::printf("\n");
}

} // namespace

cli::CommandInfo mpc::run::describeEval() { return describe<EvalOptions>(); }

Exit mpc::run::runEval(const Arguments &arguments) {
  EvalOptions options;
  std::optional<std::string> model = readInto(options, arguments);
  if (!model)
    return Exit::Ok;
  options.checkFiles(*model);
  Program program(*model);
  data::Dataset dataset =
      loadDataset(program.entry("forward"), options.input.files, options.input);
  std::vector<std::string> names;
  for (const auto &[name, path] : options.outputs)
    names.push_back(name);
  Evaluator evaluator(program, dataset, options.input, options.accuracy, names);
  Session session(program, options.device);
  session.init(/*seed=*/0);
  loadWeights(options.weights, program, session,
              {options.input.convert, options.input.allowNonFinite});
  Evaluation result = evaluator.run(session);

  if (!options.device.plans.empty())
    session.savePlans(options.device.plans);
  for (const auto &[name, path] : options.outputs)
    requireWritten(data::writeNpy(path, result.outputs.at(name)));
  if (!options.metrics.empty()) {
    MetricsFile metrics(options.metrics, /*append=*/false);
    metrics.writeEvaluation(0, 0, result.loss, result.accuracy, result.samples);
    metrics.flush();
  }
  print(result);
  return Exit::Ok;
}
